# pkg-config and the loader find this build, as if it were installed. Programs have no warnings.

mkdir pkgconfig
cat >pkgconfig/katagami.pc <<END
Name: katagami
Description: this build
Version: 0
Cflags: -I$KATA_SOURCE/include -Wall -Wextra -Wpedantic -Werror
Libs: -L$KATA_BUILD -lkatagami
END
export PKG_CONFIG_PATH=$PWD/pkgconfig LD_LIBRARY_PATH=$KATA_BUILD
