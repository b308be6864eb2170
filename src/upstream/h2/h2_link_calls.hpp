#pragma once
// What nghttp2 calls for a connection to a server. Nothing here continues a coroutine: nghttp2 must not be called again
// from inside. What happened is noted on the attempt, and H2Link::run_touched() lets it go on.

#include <nghttp2/nghttp2.h>

namespace headgate::upstream {

class H2Link;

/// A client's session for `link`, whose memory is that of `memory`; null: there is none.
nghttp2_session* make_h2_link(H2Link& link, nghttp2_mem* memory);

/// Where nghttp2 takes the bytes of a request from.
nghttp2_data_provider h2_request_body() noexcept;

}  // namespace headgate::upstream
