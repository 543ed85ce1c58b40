#!/usr/bin/env bash
# kata apply: kernels on files of data, steps and exchanges, reductions, and what is said about
# words that do not fit the kernel.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

cat >k.kata <<'END'
kernel start(out double u) { u = ix + 10*iy; }
kernel shift(in double u, out double v, double c) { v = c + u[-1,0]; }
kernel total(in double u, double w[2], long n, sum double s, max double m, sum int points)
{
    s += w[0]*u + w[1]*n;
    m = max(m, u);
    points += 1;
}
kernel more(inout int a) { a += 1; }
kernel split(in double f[2], out double v, out double w) { v = f[0]; w = f[1]; }
kernel third(in float x, sum float s) { s += x/3; }
kernel one(out float x) { x = 1; }
kernel weigh(in double p along y, in double u, out double v) { v = p*u; }
kernel line(in double u, out double v) { v = u; }
kernel halve(in double f finer(2,1), out double c) { c = (f + f[1,0])/2; }
kernel widen(in double c coarser(2,1), out double f) { f = c; }
kernel moments(in double u, sum double m[3], max int i[2], min float least[2])
{
    for (int q = 0; q < 3; q++) m[q] += q*u;
    i[0] = max(i[0], (int)ix);
    i[1] = max(i[1], (int)iy);
    least[1] = min(least[1], (float)-u);
}
kernel lowest(in double u, out double s along x) { s = u; }
kernel widen_too(in double c, out double f finer(2,1)) { f[0,0] = c; f[1,0] = c; }
END

# The values of an NPY file, its header left out.
values() # file type
{
    tail -c +129 "$1" | od -An -v -w4096 -t "$2" | tr -s ' ' | sed 's/^ //; s/ $//'
}

expect_values() # file type values
{
    local found
    found=$(values "$1" "$2")
    if [ "$found" != "$3" ]; then fail "$1 holds $found, not $3"; fi
}

# ---- files in and out --------------------------------------------------------------------------

expect 0 apply k.kata start --size 3x2 u=u.npy
expect_values u.npy f8 "0 1 2 10 11 12"
expect 0 apply k.kata shift u=u.npy v=v.npy c=0.5 --boundary constant:7
expect_values v.npy f8 "7.5 0.5 1.5 7.5 10.5 11.5"
expect 0 apply k.kata shift u=u.npy v=v.npy c=1 --boundary u=periodic,v=clamp
expect_values v.npy f8 "3 1 2 13 11 12"
expect 0 apply k.kata shift u=u.npy v=v.npy c=1 --boundary u=linear:7:-1/2
expect_values v.npy f8 "15 1 2 5 11 12"
expect 0 apply k.kata shift u=u.npy v=v.npy c=1 --boundary linear:7:-2/0.5/3:1/1/1
expect_values v.npy f8 "22.5 1 2 7.5 11 12"
expect 0 apply k.kata start --size 2 u=p.npy
expect 0 apply k.kata weigh p=p.npy u=u.npy v=v.npy
expect_values v.npy f8 "0 0 0 10 11 12"
expect 0 apply k.kata lowest u=u.npy s=s.npy
expect_values s.npy f8 "0 1 2"
expect 0 apply k.kata moments u=u.npy
expect_text out 'm = 0,36,72' 'i = 2,1' 'least = inf,-12'
expect 0 apply k.kata start --size 3x2 u=u.vtkhdf
expect 0 apply k.kata shift u=u.vtkhdf v=v.npy c=0 --boundary clamp
expect_values v.npy f8 "0 0 1 10 10 11"
expect 0 apply k.kata start --size 3x2 u=u.h5
expect 0 apply k.kata shift u=u.h5 v=v.h5 c=0 --boundary clamp
expect 0 apply k.kata shift u=v.h5:/v v=v.npy c=0 --boundary clamp
cp v.npy from_h5.npy
expect 0 apply k.kata start --size 3x2 u=u.nc
expect 0 apply k.kata shift u=u.nc v=v.nc c=0 --boundary clamp
expect 0 apply k.kata shift u=v.nc:/v v=v.npy c=0 --boundary clamp
cmp from_h5.npy v.npy
expect_values v.npy f8 "0 0 0 10 10 10"
expect 0 apply k.kata shift u=u.vtkhdf:/VTKHDF/PointData/u v=v.npy c=0 --inner 1 --type f32
expect_values v.npy f4 "0 0 0 0 0 0"
expect 0 apply k.kata start --size 3x2 u=u.png
expect 0 apply k.kata split f=u.png v=v.npy w=w.npy
expect_values w.npy f8 "1 1 1 1 1 1"
expect 0 apply k.kata more a=,a.npy --size 4
expect 0 apply k.kata more a=a.npy,b.npy --steps 5
expect_values b.npy d4 "6 6 6 6"

# the grid is that to which the kernel is applied: of half as many columns
expect 0 apply k.kata start --size 4x2 u=u.npy
expect 0 apply k.kata halve f=u.npy c=c.npy
expect_values c.npy f8 "0.5 2.5 10.5 12.5"
expect 0 apply k.kata widen_too c=c.npy f=f.npy
expect_values f.npy f8 "0.5 0.5 2.5 2.5 10.5 10.5 12.5 12.5"
expect 0 apply k.kata widen c=c.npy f=f.npy
expect_values f.npy f8 "0.5 0.5 2.5 2.5 10.5 10.5 12.5 12.5"
expect 0 apply k.kata start --size 3x2 u=u.npy
expect 2 apply k.kata halve f=u.npy c=c.npy
expect_text err "kata apply: u.npy has 3 points along x, which the ratio 2 of 'f' does not divide"
echo 'kernel div(in double u on edge, out double d on cell) on cell { d = 0; for (e : edges) d += u[e]; }' >m.kata
expect 1 apply m.kata div u=u.npy d=d.npy
expect_in err "kata apply: kernel 'div' computes cells, edges or vertices"

# ---- faces -------------------------------------------------------------------------------------

cat >f.kata <<'END'
kernel start(out double u) { u = ix*ix + 10*iy; }
kernel slope(in double u, out double f) { f = u - u[-1,0]; }
kernel gather(in double f, out double d) { d = f[1,0] - f; }
kernel scale(inout double f) { f *= 2; }
kernel add(in double f, sum double s) { s += f; }
kernel join(in double f, in double u, sum double s) { s += f + u; }
kernel corner(out double q) { q = 1; }
END
expect 0 apply f.kata start --size 3x2 u=cells.npy
expect 0 apply f.kata slope u=cells.npy f=f.npy --boundary u=clamp --staggered f=x
expect_values f.npy f8 "0 1 3 0 0 1 3 0"
expect 0 apply f.kata gather f=f.npy d=d.npy --staggered f=x
expect_values d.npy f8 "1 2 -3 1 2 -3"
expect 0 apply f.kata scale f=f.npy,g.npy --staggered x
expect_values g.npy f8 "0 2 6 0 0 2 6 0"
expect 0 apply f.kata scale f=f.npy,g.npy --staggered f=x --inner 1 # no row is left
expect_values g.npy f8 "0 1 3 0 0 1 3 0"
expect 0 apply f.kata add f=f.npy --staggered f=x
expect_text out "s = 8"
expect 0 apply f.kata join f=f.npy u=cells.npy --staggered f=x # at cells
expect_text out "s = 48"
expect 0 apply f.kata slope u=cells.npy f=f.npy --boundary periodic --staggered f=x
expect_values f.npy f8 "-4 1 3 -4 1 3"
expect 0 apply f.kata gather f=f.npy d=d.npy --staggered f=x --boundary periodic
expect_values d.npy f8 "5 2 -7 5 2 -7"
expect 0 apply f.kata corner q=q.npy --size 2x1 --staggered xy
expect_values q.npy f8 "1 1 1 1 1 1"
expect 1 apply f.kata corner q=q.npy --size 2 --staggered xy
expect_in err "staggered"
expect 2 apply f.kata corner q=q.npy --size 2 --staggered q=xx
expect_text err "kata apply: --staggered takes dimensions, as x or xy, not 'xx'"
expect 2 apply f.kata corner q=q.npy --size 2 --staggered u
expect_text err "kata apply: --staggered takes dimensions, as x or xy, not 'u'"
expect 0 apply f.kata corner q=q.npy --size 1
expect 2 apply f.kata scale f=q.npy --staggered x
expect_text err "kata apply: q.npy has one point along x, and a staggered field two at least"

# ---- steps -------------------------------------------------------------------------------------

# the result is in v after any number of steps
expect 0 apply k.kata shift u=u.npy v=v.npy c=0 --boundary periodic --steps 2
expect_values v.npy f8 "1 2 0 11 12 10"
expect 0 apply k.kata shift u=u.npy v=v.npy c=0 --boundary periodic --steps 3 --swap v,u
expect_values v.npy f8 "0 1 2 10 11 12"
# three levels: the newest is in w
cat >levels.kata <<'END'
kernel fibonacci(in double u, in double v, out double w)
{
    w = u + v;
}

kernel whole(in short u, out short v, in double x)
{
    v = x > 0 ? u : 0;
}
END
expect 0 apply levels.kata fibonacci u=u.npy v=u.npy w=v.npy --steps 4 --swap u,v,w
expect_values v.npy f8 "0 8 16 80 88 96"
expect 2 apply k.kata split f=u.png --steps 2
expect_text err "kata apply: which fields are exchanged after each step? say so: --swap IN,OUT"

# ---- reductions --------------------------------------------------------------------------------

expect 0 apply k.kata total u=u.npy w=1,0.25 n=2
expect_text out "s = 39" "m = 12" "points = 6"
expect 0 apply k.kata one --size 1 x=x.npy
expect 0 apply k.kata third x=x.npy
expect_text out "s = 0.33333334"
KATA_EXECUTOR=reference expect 0 apply k.kata third x=x.npy
expect_text out "s = 0.33333334"

# ---- types -------------------------------------------------------------------------------------

cat >t.kata <<'END'
kernel third(out double v) { v = (ix + 1)/3.0; }
kernel copy(in double u, out double v) { v = u; }
kernel count(out int v) { v = (int)(253 + 2*ix); }
kernel add(in int u, out long v, in uchar w) { v = u + w; }
END
third() # type value
{
    expect 0 apply t.kata third --size 1 v=t.npy --type "$1"
    expect_values t.npy "$2" "$3"
}
third f64 f8 "0.3333333333333333"
third f32 f4 "0.33333334"
third f16 f4 "0.33325195"
third bf16 f4 "0.33398438"
third unorm8 f4 "0.33333334"
expect 0 apply t.kata count --size 3 v=t.npy --type u8
expect_values t.npy u1 "253 255 1"
expect 0 apply t.kata count --size 3 v=t.npy --type i64
expect_values t.npy d8 "253 255 257"
# the bytes of a u8 data set: as wider integers, as bytes, as 0 to 1; each field in its own type
expect 0 apply t.kata count --size 3 v=t.vtkhdf --type u8
bytes=t.vtkhdf:/VTKHDF/PointData/v
expect 0 apply t.kata add u=$bytes w=$bytes v=t.npy --type v=i32,u=i64
expect_values t.npy d4 "506 510 2"
expect 0 apply t.kata add u=t.vtkhdf:/VTKHDF/PointData/v w=$bytes v=t.npy --type u=u8
expect_values t.npy d8 "506 510 2"
expect 0 apply t.kata copy u=$bytes v=t.npy --type u=unorm8
expect_values t.npy f8 "0.9921568627450981 1 0.00392156862745098"
# and those of a picture
printf 'kernel two(out double u[2]) { u[0] = ix/255.0; u[1] = 1; }\nkernel raw(in uchar u, out int v) { v = u; }\n' >p.kata
expect 0 apply p.kata two --size 3x1 u=t.png
expect 0 apply p.kata raw u=t.png v=t.npy
expect_values t.npy d4 "0 1 2"
expect 2 apply t.kata count --size 3 v=t.npy --type u32
expect_text err "kata apply: --type has no type 'u32'; the types are f64, f32, f16, bf16, i64, i32, i16, u16, u8 and unorm8"
expect 2 apply k.kata shift u=u.npy c=1 --type f16,f32
expect_text err "kata apply: --type names the same fields twice, the second time by 'f32'"
expect 2 apply k.kata shift u=u.npy c=1 --type u=f16,f32,u=f32
expect_text err "kata apply: --type names the same fields twice, the second time by 'u=f32'"
expect 2 apply k.kata shift u=u.npy v=v.npy c=1 --boundary u=clamp,u=periodic
expect_text err "kata apply: --boundary names the same fields twice, the second time by 'u=periodic'"
expect 2 apply k.kata shift u=u.npy v=v.npy c=1 --staggered x,x
expect_text err "kata apply: --staggered names the same fields twice, the second time by 'x'"
# nothing of what is said of single fields is lost
expect 2 apply k.kata shift u=u.npy v=v.npy c=1 --type u=f32 --type v=f16
expect_text err "kata apply: --type is given twice, the second time as 'v=f16'"
expect 2 apply k.kata shift u=u.npy v=v.npy c=1 --boundary=u=clamp --boundary v=periodic
expect_text err "kata apply: --boundary is given twice, the second time as 'v=periodic'"
printf 'kernel ends(in double a, in double b, out double v) { v = a[1] + 10*b[1]; }\nkernel three(out double u) { u = ix; }\n' >e.kata
expect 0 apply e.kata three --size 3 u=e.npy
for rules in clamp,b=periodic b=periodic,clamp; do
    expect 0 apply e.kata ends a=e.npy b=e.npy v=ev.npy --boundary "$rules"
    expect_values ev.npy f8 "11 22 2"
done
expect 2 apply k.kata shift u=u.npy v=v.npy c=1 --boundary clamp:3
expect_text err "kata apply: --boundary clamp takes no value behind a colon"
expect 2 apply k.kata shift u=u.npy c=1 --type c=f32
expect_text err "kata apply: --type is for fields, and 'c' is none"
expect 2 apply k.kata shift u=u.npy c=1 --type elsewhere=f32
expect_text err "kata apply: kernel 'shift' has no parameter 'elsewhere'; kata check lists its parameters"

# a kernel of several files
printf 'const double K = 3;\n' >constants.kata
printf 'import "constants.kata";\nkernel k(out double v) { v = K; }\n' >several.kata
expect 0 apply several.kata k --size 2 v=t.npy
expect_values t.npy f8 "3 3"

# ---- words that do not fit ---------------------------------------------------------------------

expect_usage() # message argument...
{
    local message=$1
    shift
    expect 2 apply "$@"
    expect_text err "kata apply: $message"
}

expect_usage "name a kernel file, a kernel, and a value for each of its parameters: kata apply FILE.kata KERNEL NAME=VALUE..."
expect_usage "name a kernel of k.kata; kata check k.kata lists them" k.kata
expect_usage "name a kernel of k.kata; kata check k.kata lists them" k.kata u=u.npy
expect_usage "parameter 'u' (in double u) is not given: u=FILE" k.kata shift c=1
expect_usage "parameter 'a' (inout int a) is not given: a=INPUT,OUTPUT" k.kata more
expect_usage "parameter 'c' (double c) is not given: c=VALUE" k.kata shift u=u.npy
expect_usage "kernel 'total' has no parameter 'point'; did you mean 'points'?" k.kata total point=2
expect_usage "kernel 'shift' has no parameter 'w'; did you mean 'v'?" k.kata shift u=u.npy w=v.npy c=2
expect_usage "kernel 'shift' has no parameter 'stride'; kata check lists its parameters" \
    k.kata shift stride=2
expect_usage "'4' is not of the form NAME=VALUE" k.kata shift 4
expect_usage "parameter 'c' is given twice" k.kata shift c=1 c=2
expect_usage "parameter 's' is a result, which is printed" k.kata total s=2
expect_usage "parameter 'c' (double c) takes a number, not 'much'" k.kata shift c=much
expect_usage "parameter 'c' (double c): '-1e400' is too large for a number" k.kata shift c=-1e400
expect_usage "parameter 'w' (double w[2]): '1e309' is too large for a number" k.kata total w=1,1e309
expect_usage "parameter 'n' (long n) takes a whole number, not '1.5'" k.kata total n=1.5
expect_usage "parameter 'w' (double w[2]) takes a number, not ''" k.kata total w=1,
expect_usage "parameter 'w' takes 2 numbers, as in w=1,2,...; there are 3" k.kata total w=1,2,3
expect_usage "--boundary has no rule 'wall'; the rules are: none constant clamp reflect-face reflect-node antisymmetric-face antisymmetric-node periodic linear:VALUE:W/W/..." \
    k.kata shift u=u.npy c=1 --boundary wall
expect_usage "--boundary has no rule 'clmap'; did you mean clamp?" \
    k.kata shift u=u.npy c=1 --boundary clmap
expect_usage "--boundary takes a number after the colon, not 'x'" \
    k.kata shift u=u.npy c=1 --boundary u=constant:x
expect_usage "--boundary takes a number after the colon, not '1e400', which is too large" \
    k.kata shift u=u.npy c=1 --boundary u=constant:1e400
for rule in linear:1 linear:x:1/2 linear:1:1 linear:1:1/x linear:1:1/2:1/2/3 linear:1:1/2: \
    linear:1:1/2/3/4/5/6/7/8/9/10 linear:1:1/2:1/2:1/2:1/2:1/2:1/2:1/2:1/2:1/2; do
    expect_usage "--boundary takes linear:VALUE:W/W/..., and up to 8 rows W/W/... of as many weights: of 1 to 8 points, and of VALUE" \
        k.kata shift u=u.npy c=1 --boundary "$rule"
done
expect_usage "no field is read from a file; say how many points: --size NXxNY" k.kata start
expect_usage "--size is for kernels without input; u.npy has a size" \
    k.kata line u=u.npy --size 3x2
expect_usage "--size takes NX, NXxNY or NXxNYxNZ, not '3x'" k.kata start --size 3x
expect_usage "--size takes NX, NXxNY or NXxNYxNZ, not '3x2x1x1'" k.kata start --size 3x2x1x1
expect_usage "--swap takes fields, and one of 'u,c' is none" k.kata shift u=u.npy c=1 --swap u,c
for swap in u u,u v,u,v v,u,v,u; do
    expect_usage "--swap takes two or three different fields, as in u,v, not '$swap'" \
        k.kata shift u=u.npy c=1 --swap "$swap"
done
expect_usage "parameter 'u' (in short u) cannot be stored as i32; --type u=i16 is possible" \
    levels.kata whole u=u.npy x=u.npy --type u=i32
expect_usage "parameter 'x' (in double x) cannot be stored as i64; --type x=f64 or f32 or f16 or bf16 or unorm8 is possible" \
    levels.kata whole u=u.npy x=u.npy --type x=i64

expect 1 apply k.kata shfit
expect_text err "error: k.kata has no kernel 'shfit'; did you mean 'shift'?"
expect 1 apply k.kata line u=none.npy
expect_text err "error: cannot read none.npy: No such file or directory"
expect 1 apply k.kata line u=none.npy --size 3x2
expect_text err "error: cannot read none.npy: No such file or directory"
expect_usage "v is written to a file that ends in .npy, .png, .vtkhdf, .nc or .h5, not to v.txt" \
    k.kata line u=u.npy v=v.txt
expect 1 apply k.kata shift u=u.npy v=v.npy c=1
expect_in err "'u' has no boundary rule at KATA_X_LOW"
expect_in err "kata apply: boundary rules are given with --boundary, ranges with --inner"

# ---- reductions along dimensions ---------------------------------------------------------------

cat >columns.kata <<'END'
kernel count(out double q) { q = 100*iz + 10*iy + ix; }
kernel heap(in double q, in double dz along z, sum double t along xy, max double top along z,
            sum double all)
{
    t += q*dz;
    top = max(top, q);
    all += q;
}
kernel rows(in double q, in double dz along z, sum double t along xy, max double top along z)
{
    t += q*dz;
    top = max(top, q);
}
kernel thickness(out double dz along z) { dz = iz + 1; }
END
expect 0 apply columns.kata count --size 3x2x2 q=q.npy
expect 0 apply columns.kata thickness --size 3x2x2 dz=dz.npy
expect 0 apply columns.kata heap q=q.npy dz=dz.npy t=t.npy top=top.npy
expect_text out "all = 672"
expect_values t.npy f8 "200 203 206 230 233 236"
expect_values top.npy f8 "12 112"
expect 0 apply columns.kata heap q=q.npy dz=dz.npy t=t.png top=
head -c 8 t.png | cmp - <(printf '\211PNG\r\n\032\n')
expect_usage "no output is named, and the result would be lost; write t=FILE.npy or top=FILE.npy" \
    columns.kata rows q=q.npy dz=dz.npy
expect_usage "parameter 'all' is a result, which is printed" \
    columns.kata heap q=q.npy dz=dz.npy t=t.npy all=all.npy
# faces along a dimension that the field has are summed where the field has them, too
expect 0 apply columns.kata heap q=q.npy dz=dz.npy t=t.npy top=top.npy --staggered q=x,t=x
expect_text out "all = 672"
expect_values t.npy f8 "200 203 206 230 233 236"

# ---- outputs -----------------------------------------------------------------------------------

# what is computed is written, printed, or discarded on purpose
expect_usage "no output is named, and the result would be lost; write v=FILE.npy" k.kata line u=u.npy
expect_usage "no output is named, and the result would be lost; write v=FILE.npy or w=FILE.npy" \
    k.kata split f=u.png
expect_usage "no output is named, and the result would be lost; write a=a.npy,FILE.npy" \
    k.kata more a=a.npy
expect 0 apply k.kata line u=u.npy v=
expect 0 apply k.kata more a=a.npy,

# a file that is read is replaced only when that is asked for, by whatever name
cp u.npy before.npy
ln -s u.npy link.npy
for same in u.npy ./u.npy link.npy; do
    expect_usage "$same is read as well, and would be replaced: name another file, or add --overwrite" \
        k.kata shift u=u.npy c=1 "v=$same" --boundary clamp
done
expect_usage "a.npy is read as well, and would be replaced: name another file, or add --overwrite" \
    k.kata more a=a.npy,a.npy
cmp u.npy before.npy || fail "an input is replaced unasked"
expect 0 apply k.kata shift u=u.npy v=u.npy c=1 --boundary clamp --overwrite
expect_values u.npy f8 "1 1 2 11 11 12"
cp before.npy u.npy
expect 0 apply k.kata line u=u.npy v=v.npy
expect 0 apply k.kata line u=u.npy v=v.npy # what is only an output is replaced
expect_usage "'v' and 'w' are both written to v.npy" k.kata split f=u.png v=v.npy w=v.npy
expect_usage "'v' and 'w' are both written to new.npy" k.kata split f=u.png v=new.npy w=new.npy
[ ! -e new.npy ] || fail "a field is lost"
mkdir -p below
ln -s below other
expect_usage "'v' and 'w' are both written to ./new.npy" k.kata split f=u.png v=new.npy w=./new.npy
expect_usage "'v' and 'w' are both written to other/new.npy" \
    k.kata split f=u.png v=below/new.npy w=other/new.npy
[ ! -e below/new.npy ] || fail "a field is lost"
# two names in two folders are two files
expect 0 apply k.kata split f=u.png v=new.npy w=below/new.npy

# what cannot be written is refused before the steps are computed, and nothing is written
expect_refused() # message argument...
{
    local message=$1
    shift
    rm -f first.npy
    expect_usage "$message" "$@"
    [ ! -e first.npy ] || fail "refused after the work: $*"
}
expect_refused "w is written to a file that ends in .npy, .png, .vtkhdf, .nc or .h5, not to w.txt" \
    k.kata split f=u.png v=first.npy w=w.txt
expect_refused "w is written to a file that ends in .npy, .png, .vtkhdf, .nc or .h5, not to w.h5:/w" \
    k.kata split f=u.png v=first.npy w=w.h5:/w
expect_refused "x is the name of an axis in a .nc file: write x to another than x.nc" \
    k.kata one --size 3 x=x.nc
picture="cannot be a picture, which has 2 dimensions, and 1 to 4 components of f64, f32, f16, bf16, unorm8 or u8"
expect_refused "u $picture: name another file than u3.png" k.kata start --size 2x2x2 u=u3.png
expect_refused "a $picture: name another file than a.png" k.kata more a=a.npy,a.png
mkdir folder.npy
expect_refused "folder.npy cannot be written: Is a directory" \
    k.kata split f=u.png v=first.npy w=folder.npy
ln -s nowhere/w.npy broken.npy
mkfifo fifo.npy
expect_refused "fifo.npy cannot be written: it is not an ordinary file" \
    k.kata split f=u.png v=first.npy w=fifo.npy
expect_refused "broken.npy cannot be written: it is a symbolic link that leads to no file" \
    k.kata split f=u.png v=first.npy w=broken.npy
expect_usage "none/v.npy cannot be written: No such file or directory" k.kata line u=u.npy v=none/v.npy

# A colon in the name of a folder begins no dataset.
mkdir -p d:
cp u.npy d:/in.npy
expect 0 apply k.kata line u=d:/in.npy v=v.npy
expect 1 apply k.kata line u=d:/none.npy v=v.npy
expect_text err "error: cannot read d:/none.npy: No such file or directory"
cp u.npy d:
expect 0 apply k.kata shift u=d:/../v.h5:/v v=w.npy c=0 --boundary clamp

# A name of any length is that of its parameter alone.
long=$(printf 'u%.0s' {1..64})
printf 'kernel k(in double %s, out double v, double c) { v = c*%s; }\n' "$long" "$long" >long.kata
expect 0 apply long.kata k "$long=u.npy" v=v.npy c=1
cmp u.npy v.npy || fail "a long name is not found"
expect_usage "kernel 'k' has no parameter '${long}x'; kata check lists its parameters" long.kata k "${long}x=u.npy" v=v.npy c=1

# ---- pipes -------------------------------------------------------------------------------------

mkdir -p temporary
export TMPDIR=$PWD/temporary
"$kata" apply k.kata start --size 3x2 u=- | "$kata" apply k.kata shift u=- v=- c=1 --boundary clamp |
    "$kata" apply k.kata more a=-,- >pipe.npy 2>err && fail "numbers of the wrong type are taken"
"$kata" apply k.kata start --size 3x2 u=- | "$kata" apply k.kata shift u=- v=- c=1 --boundary clamp \
    >pipe.npy
expect_values pipe.npy f8 "1 1 2 11 11 12"
"$kata" apply k.kata shift u=- v=file.npy c=1 --boundary clamp <u.npy
cmp pipe.npy file.npy || fail "a pipe changes what goes through"
cat >both.kata <<'END'
kernel both(in double u, out double v, sum double s) { v = u; s += u; }
END
"$kata" apply both.kata both u=- v=- <u.npy >pipe.npy 2>err # numbers do not mix with the field
cmp pipe.npy u.npy || fail "standard output has more than the field"
expect_text err "s = 36"
expect_usage "'v' and 'w' are both -: standard output holds one field" k.kata split f=u.png v=- w=-
expect_usage "'p' and 'u' are both -: standard input holds one field" k.kata weigh p=- u=-
expect 1 apply k.kata line u=- v=v.npy # standard input is empty
expect_in err "standard-input.npy"
if "$kata" apply k.kata line u=u.npy v=- >/dev/full 2>err; then fail "a full disk is not noticed"; fi
expect_text err "kata: cannot write to standard output"
if TMPDIR=$PWD/none "$kata" apply k.kata line u=- v=v.npy <u.npy 2>err; then fail "no folder"; fi
expect_text err "kata apply: cannot make a temporary folder in $PWD/none: No such file or directory"
# a limit of the size of files is an error like any other
code=0
"$kata" apply k.kata start --size 300x100 u=large.npy
{ (ulimit -f 1; "$kata" apply k.kata line u=- v=v.npy <large.npy) 2>&1 || code=$?; } |
    cat >err
grep -q "kata apply: cannot copy standard input to .*: File too large" err || fail "a limit: $(cat err)"
[ -z "$(ls temporary)" ] || fail "files are left: $(ls -R temporary)"
# no more is copied than the array: what has no end, or claims to be huge, fills no disk
endless() # message
{
    (ulimit -f 1000; exec timeout 120 "$kata" apply k.kata line u=- v=v.npy) 2>err &&
        fail "endless input is taken"
    expect_in err "$1"
}
endless "it is not an NPY file" </dev/zero
endless "kata apply: standard input has more than the array that its header describes" \
    < <(cat u.npy /dev/zero)
claim() # version length shape
{
    printf '\x93NUMPY%b\x00%b%-118s' "$1" "$2" "{'descr': '<f8', 'fortran_order': False, 'shape': $3, }"
}
endless "kata apply: the values on standard input take 562949953421312 bytes, more than" \
    < <(claim '\x01' '\x76\x00' '(1099511627776, 64)'; cat /dev/zero)
endless "standard-input.npy" < <(claim '\x01' '\x76\x00' '(9999999999999999999, 9)'; cat /dev/zero)
claim '\x01' '\x76\x00' '(0, 3)' >empty.npy
expect 1 apply k.kata line u=empty.npy v=v.npy
expect_text err "error: empty.npy: the array is 0 x 3, and has no values"
{ claim '\x02' '\x76\x00\x00\x00' '(3, 4)'; head -c 96 /dev/zero; } |
    "$kata" apply k.kata line u=- v=v.npy || fail "version 2 of NPY is refused on standard input"
endless "its values take 96 bytes by its header, and 95 in it" \
    < <(claim '\x02' '\x76\x00\x00\x00' '(3, 4)'; head -c 95 /dev/zero)
[ -z "$(ls temporary)" ] || fail "files are left: $(ls -R temporary)"
mkfifo endless
exec 9<>endless
"$kata" apply k.kata line u=- v=v.npy <endless &
waiting=$!
for ((wait = 0; wait < 1000; wait++)); do
    if [ -n "$(ls temporary)" ]; then break; fi
    sleep 0.1
done
[ -n "$(ls temporary)" ] || fail "standard input is not copied"
kill "$waiting"
code=0
wait "$waiting" 2>/dev/null || code=$?
[ "$code" = 143 ] || fail "ended by SIGTERM, kata exits with $code"
[ -z "$(ls temporary)" ] || fail "files are left: $(ls -R temporary)"
exec 9>&-
if command -v script >/dev/null; then
    script -qec "'$kata' apply k.kata line u=u.npy v=-" /dev/null >screen </dev/null && fail "bytes on a terminal"
    grep -q "kata apply: v=- is NPY to standard output, which is a terminal" screen ||
        fail "a terminal gets $(cat screen)"
fi
unset TMPDIR
finish
