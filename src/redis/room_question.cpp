#include "room_question.hpp"

#include "headgate/redis/errors.hpp"

namespace headgate::redis {

const Script& RoomQuestion::room_script() noexcept {
  static const Script script{.text = room::waiting_room_script(), .sha = room::waiting_room_script_sha()};
  return script;
}

Result<bool> RoomQuestion::read(const Reply& reply) {
  const auto read = reply.all_integers ? room::read_script_reply(reply.integers, question_) : std::nullopt;
  if (!read) return Errc::bad_reply;
  answer = *read;
  return true;
}

}  // namespace headgate::redis
