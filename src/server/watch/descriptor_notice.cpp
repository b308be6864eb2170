#include "descriptor_notice.hpp"

#include "headgate/net/descriptors.hpp"
#include "headgate/observe/event.hpp"

#include <algorithm>
#include <cstdint>

namespace headgate::server {
namespace {

/// So many of ours are open beside those of connections, as far as anybody can say.
constexpr int kDescriptorsBeside = 32;

}  // namespace

/// The bound would never be reached: clients would wait in the kernel's queue before, and nobody would be told.
void warn_of_few_descriptors(const config::Config& config) {
  const auto shares = net::descriptor_shares();
  const std::int64_t most = config.bounds.connections;
  if (most + kDescriptorsBeside <= shares.clients) return;
  observe::event(
      observe::LogLevel::warning, "few_descriptors",
      "the limit of open files is reached before \"bounds.connections\"; raise the one, or lower the other",
      {{"connections", most}, {"fit", std::max(shares.clients - kDescriptorsBeside, 0)}, {"limit", shares.all}});
}

}  // namespace headgate::server
