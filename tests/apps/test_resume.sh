#!/usr/bin/env bash
# Applications that are killed at any moment, and go on from their checkpoint, end as if nothing had
# happened: each time on other threads, ranks, memory or a device.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1 # ranks that wait leave the core to others

kills=6
if [ -n "${KATA_TEST_FULL:-}" ]; then kills=50; fi
ways=("KATA_THREADS=1" "KATA_THREADS=2" "KATA_DEVICE=cuda" "KATA_MEMORY=300000 KATA_SPILL=." "KATA_THREADS=3")
if command -v mpirun >/dev/null; then ways+=("ranks=2" "ranks=3"); fi

# Starts a command in the background in one of the ways; its process is $started. Ranks are in a
# session of their own, so that none is forgotten that mpirun was just about to start.
start() # way command...
{
    local way=$1
    shift
    if [[ $way == ranks=* ]]; then
        setsid mpirun -n "${way#ranks=}" "$@" >>log 2>&1 </dev/null &
    else
        # shellcheck disable=SC2086 # several variables
        env $way "$@" >>log 2>&1 </dev/null &
    fi
    started=$!
}

# Kills it after a while. False: it had ended.
kill_after() # seconds way
{
    sleep "$1"
    if ! kill -0 "$started" 2>/dev/null; then return 1; fi
    if [[ $2 == ranks=* ]]; then
        pkill -9 -P "$started" kata || true # mpirun sees that they ended
        for _ in {1..50}; do # mpirun may wait after all ranks have gone
            kill -0 "$started" 2>/dev/null || break
            sleep 0.1
        done
        while pkill -9 -s "$started"; do sleep 0.1; done
    else
        kill -9 "$started" 2>/dev/null || true
    fi
    wait "$started" 2>/dev/null || true
}

# Complains unless an application that is killed draws and prints at its end what one draws and prints
# that is not.
expect_resumed() # steps between checkpoints, argument...
{
    local steps=$1 i way killed=0
    shift
    rm -f run.h5* resumed.png log
    "$kata" run "$@" --quiet --output whole.png >whole 2>&1 || fail "kata run $*"
    for ((i = 0; i < kills; i++)); do
        way=${ways[i % ${#ways[@]}]}
        start "$way" "$kata" run "$@" --quiet --output resumed.png --checkpoint run.h5 --resume \
            --checkpoint-steps "$steps"
        if ! kill_after "0.$((RANDOM % 4))$((RANDOM % 10))" "$way"; then break; fi
        killed=$((killed + 1))
    done
    "$kata" run "$@" --quiet --output resumed.png --checkpoint run.h5 --resume --checkpoint-steps "$steps" \
        >resumed 2>err || fail "kata run $* does not go on: $(cat err log)"
    cmp whole.png resumed.png || fail "kata run $* draws something else after $killed kills"
    if ! diff <(last_values whole) <(last_values resumed); then
        fail "kata run $* ends with something else after $killed kills (>)"
        cat log
    fi
    echo "kata run $1: killed $killed times, $(ls run.h5* | tr '\n' ' ')"
}

# What is said of the end of a run: no clocks, nor what was printed on the way.
last_values() # file
{
    sed -E '/second|rate| s$|GB|million|wrote/d' "$1" | tail -n 1
}

expect_resumed 3 weather --nx 32 --ny 32 --nz 16 --steps 600

# What makes no sense.
mv run.h5 weather.h5
expect 2 run weather --resume
expect_in err "--resume needs --checkpoint FILE.h5"
expect 2 run lattice --checkpoint c.h5 --case spheres
expect_in err "--checkpoint means nothing to --case spheres"
expect 1 run weather --steps 2 --nx 32 --ny 32 --nz 16 --diffusion 0.001 --checkpoint weather.h5 --resume
expect_in err "weather.h5 is a checkpoint of a run with diffusion = '0.003', not '0.001'"
expect 2 run vortex --checkpoint v.h5 --flow wave
expect 0 run heat --size 32 --quiet --checkpoint run.h5 --checkpoint-steps 10
expect 1 run weather --steps 2 --nx 8 --ny 8 --checkpoint run.h5 --resume
expect_in err "is a checkpoint of another program"
end_if_sanitized

# Others.
rm -f late.h5*
expect 0 run weather --steps 20 --nx 8 --ny 8 --nz 4 --checkpoint late.h5 --checkpoint-steps 20 --quiet
expect 1 run weather --steps 12 --nx 8 --ny 8 --nz 4 --checkpoint late.h5 --resume --quiet
expect_in err "late.h5 is a checkpoint after step 20, and the run ends after step 12"
expect 0 run weather --steps 22 --nx 8 --ny 8 --nz 4 --checkpoint late.h5 --resume --quiet
expect_in err "late.h5: the run goes on after step 20"

expect_resumed 5 cloverleaf --cells 64 --steps 400
expect_resumed 40 heat --size 64
expect_resumed 50 cavity --re 100 --size 24 --tolerance 1e-3
expect_resumed 4 vortex --size 16 --until 3
expect_resumed 40 lattice --size 16 --re 50 --case cavity --tolerance 1e-4 --most-steps 4000
finish
