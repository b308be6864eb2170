#include "gateway/bodies/without_usage_chunk.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace headgate::gateway::test {
namespace {

constexpr std::string_view kContentChunk =
    "data: {\"choices\":[{\"delta\":{\"content\":\"\\\"choices\\\":[]\"}}],\"usage\":null}\n\n";
constexpr std::string_view kUsageChunk = "data: {\"id\":\"a\",\"choices\": [ ],\"usage\":{\"total_tokens\":3}}\r\n\r\n";
constexpr std::string_view kFilterChunk = "data: {\"choices\":[],\"prompt_filter_results\":[]}\n\n";
constexpr std::string_view kDoneChunk = "data: [DONE]\n\n";

/// A body that comes in two pieces.
class InTwo final : public http::BodyReader {
 public:
  InTwo(std::string_view all, std::size_t cut) : first_(all.substr(0, cut)), second_(all.substr(cut)) {}

  bool take_at_most(std::uint64_t) noexcept override { return true; }
  Result<std::string_view> ready() override {
    ++at_;
    return at_ == 1 ? first_ : second_;
  }
  Task<Result<std::string_view>> read() override { co_return ready(); }
  bool ended() const noexcept override { return at_ >= 2; }
  void cancel() noexcept override {}
  const http::Fields& trailers() const noexcept override { return none_; }

 private:
  std::string_view first_;
  std::string_view second_;
  int at_ = 0;
  http::Fields none_;
};

std::string without(const std::string& all, std::size_t cut) {
  InTwo body(all, cut);
  WithoutUsageChunk reader(body);
  std::string out;
  while (!reader.ended()) out += *reader.ready();
  return out;
}

TEST(WithoutUsageChunk, LeavesOutTheChunkAndNothingElseWhereverTheStreamIsCut) {
  const auto all =
      std::string(kFilterChunk) + std::string(kContentChunk) + std::string(kUsageChunk) + std::string(kDoneChunk);
  const auto expected = std::string(kFilterChunk) + std::string(kContentChunk) + std::string(kDoneChunk);
  for (std::size_t cut = 0; cut <= all.size(); ++cut) ASSERT_EQ(without(all, cut), expected) << cut;
}

TEST(WithoutUsageChunk, PassesAnEventThatIsTooLongAndOneThatNeverEnds) {
  const auto all =
      "data: {\"choices\":[],\"usage\":{\"x\":\"" + std::string(5'000, 'a') + "\"}}\n\ndata: {\"choices\":";
  for (const std::size_t cut : {1U, 4'000U, 5'010U, 5'040U}) ASSERT_EQ(without(all, cut), all) << cut;
}

}  // namespace
}  // namespace headgate::gateway::test
