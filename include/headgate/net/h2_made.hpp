#pragma once
// Owners of the nghttp2 objects that an HTTP/2 session is created with.

#include <nghttp2/nghttp2.h>

namespace headgate::net {

template <class T, auto make, auto free>
struct H2Made {
  H2Made() { made = make(&get) == 0; }
  H2Made(const H2Made&) = delete;
  H2Made& operator=(const H2Made&) = delete;
  ~H2Made() { free(get); }
  T* get = nullptr;
  bool made = false;  ///< false if there was no memory
};

using H2Calls = H2Made<nghttp2_session_callbacks, nghttp2_session_callbacks_new, nghttp2_session_callbacks_del>;
using H2Options = H2Made<nghttp2_option, nghttp2_option_new, nghttp2_option_del>;

}  // namespace headgate::net
