#pragma once
// The functions that nghttp2 calls for a connection to a server. They never resume a coroutine, because nghttp2 must
// not be called again from inside them. They record the event on the attempt, and H2Link::run_touched() resumes it.

#include <nghttp2/nghttp2.h>

namespace headgate::upstream {

class H2Link;

/// Creates a client session for `link` that allocates from `memory`; null if there is no memory.
nghttp2_session* make_h2_link(H2Link& link, nghttp2_mem* memory);

/// Returns the source from which nghttp2 takes the bytes of a request.
nghttp2_data_provider h2_request_body() noexcept;

}  // namespace headgate::upstream
