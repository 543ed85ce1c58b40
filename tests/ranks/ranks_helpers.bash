# What the scripts that start several ranks share. They are skipped where there is no MPI.

plugin=$KATA_BUILD/katagami-mpi.so
if ! command -v mpirun >/dev/null || [ ! -e "$plugin" ]; then exit 77; fi
# Libraries of MPI leave memory behind, which the address sanitizer reports.
if [ "$KATA_SANITIZED" = 1 ]; then exit 77; fi
export KATA_MPI=$plugin KATA_RANKS=small KATA_THREADS=1 KATA_PROVE=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_hwloc_base_binding_policy=none
# Messages through memory alone: no network is looked for.
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
# Ranks that wait for messages leave the core to those that compute, and to other tests.
export OMPI_MCA_mpi_yield_when_idle=1

# Runs a command on so many ranks, in a folder of its own; on one without MPI.
on_ranks() # ranks command...
{
    local ranks=$1
    shift
    rm -rf "ranks$ranks"
    mkdir "ranks$ranks"
    local start=(mpirun -n "$ranks")
    if [ "$ranks" -eq 1 ]; then start=(); fi
    (cd "ranks$ranks" && timeout 200 "${start[@]}" "$@" >out 2>err </dev/null)
}
