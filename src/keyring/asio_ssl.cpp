// Asio's non-template code for TLS, compiled once for the whole program (BOOST_ASIO_SEPARATE_COMPILATION).
#include <boost/asio/ssl/impl/src.hpp>
