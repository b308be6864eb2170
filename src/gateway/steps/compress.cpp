// Compresses what a client gets, where its route does so.

#include "gateway/answers/compressed_reply.hpp"
#include "gateway/path.hpp"
#include "steps.hpp"

#include <memory>

namespace headgate::gateway {

MaybeProblem compress_answer(Path& path, Exchange& x) {
  x.compressed = std::make_shared<CompressedReply>(x, path.encoders);
  return {};
}

void end_compression(Path& /*path*/, Exchange& x) {
  if (x.compressed) x.compressed->end();
}

}  // namespace headgate::gateway
