#pragma once
// A shared log that takes everything and tells nothing.

#include "headgate/limit/shared_log.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::services {

class SilentLog final : public limit::SharedLog {
 public:
  explicit SilentLog(std::vector<limit::LogEntry>& taken) : taken_(taken) {}
  Task<Result<std::uint64_t>> append(const limit::LogEntry& entry) override {
    taken_.push_back(entry);
    co_return Result<std::uint64_t>(boost::system::in_place_value, taken_.size());
  }
  Task<Result<News>> read(std::string_view position) override {
    News news;
    news.position = std::string(position);
    co_return news;
  }
  Task<Result<limit::Acknowledgements>> hear(std::string_view, std::uint64_t) override {
    co_return Result<limit::Acknowledgements>(boost::system::in_place_value,
                                              limit::Acknowledgements{.heard = 1, .of = 1});
  }
  Task<error_code> leave() override { co_return error_code(); }
  void stop() override {}

 private:
  std::vector<limit::LogEntry>& taken_;
};

}  // namespace headgate::services
