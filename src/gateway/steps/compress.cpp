// Compresses answers to clients, on routes with compression.

#include "gateway/answers/compressed_reply.hpp"
#include "gateway/answers/compressible.hpp"
#include "gateway/path/path.hpp"
#include "gateway/steps/table.hpp"
#include "steps.hpp"

#include "headgate/gateway/explain.hpp"
#include "headgate/observe/access_log.hpp"

#include <memory>

namespace headgate::gateway {

MaybeProblem compress_answer(Path& path, Exchange& x) {
  x.compressed = std::make_shared<CompressedReply>(x, path.encoders);
  return {};
}

void end_compression(Path& /*path*/, Exchange& x) {
  if (x.compressed) x.compressed->end();
}

constexpr StepCounts kCompressionCounts = counts_in<CompressionCounters>();

void record_compressed(const Exchange& x, observe::AccessRecord& record) {
  if (!x.compressed || !x.compressed->coding()) return;
  record.compressed = to_text(*x.compressed->coding());
  record.compressed_from = x.compressed->bytes_before();
}

void explain_compression(Exchange& x, Explanation& explanation) {
  if (const auto coding = coding_for_client(x, *x.route->options->compression))
    explanation.besides.push_back(
        {"may_be_compressed_as", "its answer may be compressed", std::string(to_text(*coding))});
}

}  // namespace headgate::gateway
