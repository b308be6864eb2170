#pragma once
// A question to a waiting room, which is one call of the rooms' script.

#include "redis/wire/question.hpp"

#include "headgate/redis/errors.hpp"
#include "headgate/room/script.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::redis {

class RoomQuestion final : public ScriptQuestion {
 public:
  /// `rule` and `prefix` must outlive this object.
  RoomQuestion(const room::RoomRule& rule, const room::Question& question, std::string_view prefix) noexcept
      : ScriptQuestion(room_script()), rule_(rule), question_(question), prefix_(prefix) {}

  void write(std::vector<std::string>& out) const override { room::script_arguments(rule_, question_, prefix_, out); }
  Result<bool> read(const Reply& reply) override {
    const auto read = reply.all_integers ? room::read_script_reply(reply.integers, question_) : std::nullopt;
    if (!read) return Errc::bad_reply;
    answer = *read;
    return true;
  }

  room::Answer answer;  ///< valid after a reply

 private:
  static const Script& room_script() noexcept {
    static const Script script{.text = room::waiting_room_script(), .sha = room::waiting_room_script_sha()};
    return script;
  }

  const room::RoomRule& rule_;
  const room::Question question_;
  std::string_view prefix_;
};

}  // namespace headgate::redis
