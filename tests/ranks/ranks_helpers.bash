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
