# Compiles for arm64 on another machine, with Debian's cross compiler and its libraries for arm64 (dpkg --add-architecture arm64).
# ./dev arm64 has all of it in a small Debian beside this one.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
# What the program prints of itself when it is installed.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
