#pragma once
// What sessions of HTTP/2 are made with: objects of nghttp2 that it makes and frees itself.

#include <nghttp2/nghttp2.h>

namespace headgate::net {

template <class T, auto make, auto free>
struct H2Made {
  H2Made() { made = make(&get) == 0; }
  H2Made(const H2Made&) = delete;
  H2Made& operator=(const H2Made&) = delete;
  ~H2Made() { free(get); }
  T* get = nullptr;
  bool made = false;  ///< false: there was no memory
};

using H2Calls = H2Made<nghttp2_session_callbacks, nghttp2_session_callbacks_new, nghttp2_session_callbacks_del>;
using H2Options = H2Made<nghttp2_option, nghttp2_option_new, nghttp2_option_del>;

}  // namespace headgate::net
