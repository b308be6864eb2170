#pragma once
// Result: a value or the reason why there is none. Used by everything; nothing of ours throws on the data path.

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

namespace headgate {

using boost::system::error_code;

/// A value of type T or an error; E is an `error_code` where the cause is the system's.
template <class T, class E = error_code>
using Result = boost::system::result<T, E>;

}  // namespace headgate
