#pragma once
// Result: a value, or the reason why there is none. Used everywhere, because headgate throws no exceptions on the data
// path.

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

namespace headgate {

using boost::system::error_code;

/// A value of type T or an error. E is `error_code` if the system is the cause.
template <class T, class E = error_code>
using Result = boost::system::result<T, E>;

}  // namespace headgate
