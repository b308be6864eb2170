#include "request_block.hpp"

namespace headgate::access_logs {

RequestBlock& RequestBlocks::take() {
  if (free_.empty()) {
    free_.reserve(all_.size() + 1);
    free_.push_back(all_.emplace_back(new RequestBlock).get());
  }
  auto& block = *free_.back();
  free_.pop_back();
  block.requests.clear();
  block.fields.clear();
  block.values.clear();
  block.held = 1;
  return block;
}

}  // namespace headgate::access_logs
