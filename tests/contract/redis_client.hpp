#pragma once
// A plain blocking Redis client, because these tests are for the script and not for the transport.

#include <hiredis/hiredis.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::test {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

class RedisClient {
 public:
  explicit RedisClient(std::uint16_t port) : context_(redisConnect("127.0.0.1", port)) {}
  ~RedisClient() { redisFree(context_); }
  RedisClient(const RedisClient&) = delete;
  RedisClient& operator=(const RedisClient&) = delete;

  bool connected() const { return context_ != nullptr && context_->err == 0; }

  /// Returns the reply; null if the connection broke.
  Reply command(const std::vector<std::string>& words) {
    std::vector<const char*> texts;
    std::vector<std::size_t> lengths;
    for (const std::string& word : words) {
      texts.push_back(word.data());
      lengths.push_back(word.size());
    }
    return Reply(static_cast<redisReply*>(
        redisCommandArgv(context_, static_cast<int>(words.size()), texts.data(), lengths.data())));
  }

  /// Returns the reply as text, which may be a string, a number or an error.
  std::string text(const std::vector<std::string>& words) {
    const Reply reply = command(words);
    if (!reply) return "(connection lost)";
    if (reply->type == REDIS_REPLY_INTEGER) return std::to_string(reply->integer);
    if (reply->type == REDIS_REPLY_NIL) return "(nil)";
    return {reply->str, reply->len};
  }

  /// Returns the reply of a script as integers. Any other reply goes to `error`.
  std::optional<std::vector<std::int64_t>> integers(const std::vector<std::string>& words, std::string& error) {
    const Reply reply = command(words);
    if (!reply || reply->type != REDIS_REPLY_ARRAY) {
      error = reply && reply->str != nullptr ? reply->str : "no array";
      return std::nullopt;
    }
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < reply->elements; ++i) {
      if (reply->element[i]->type != REDIS_REPLY_INTEGER) {
        error = "an element is no integer";
        return std::nullopt;
      }
      numbers.push_back(reply->element[i]->integer);
    }
    return numbers;
  }

 private:
  redisContext* context_;
};

}  // namespace headgate::test
