// Asio's and Beast's non-template code, compiled once for the whole program (BOOST_*_SEPARATE_COMPILATION).
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
