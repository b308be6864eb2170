// Asio's non-template code for TLS, compiled once for what plays a receiver (BOOST_ASIO_SEPARATE_COMPILATION).
#include <boost/asio/ssl/impl/src.hpp>
