for i in 1 2 3; do for v in base today new; do echo "cold $v: $(./first_$v 256 5)"; done; done | sort
export KATA_CACHE_DIR=/tmp/w_tiered/cs KATA_PLAN=loops
for i in 1 2 3; do echo "today $(./steady_today)"; echo "new   $(./steady_new)"; done
