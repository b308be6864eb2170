#include "headgate/room/script.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/room/line.hpp"

#include <chrono>

namespace headgate::room {
namespace {

/// A room that nobody asks about expires after a day. Then the tickets of its visitors restore their numbers.
constexpr auto kForgotten = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::hours(24));

std::string_view word_of(Ask ask) noexcept {
  static constexpr WordsUpTo<Ask::observe> kWords({"look", "arrive", "present", "remain", "observe"});
  return kWords[ask];
}

}  // namespace

std::string room_key(std::string_view prefix, std::string_view name) {
  std::string key(prefix);
  key.append("v1:{room:").append(name).append("}");
  return key;
}

void script_arguments(const RoomRule& rule, const Question& question, std::string_view prefix,
                      std::vector<std::string>& out) {
  const auto slices = slices_of(rule);
  const bool bounded = rule.at_most > 0 && !question.owner.empty();
  out.clear();
  out.push_back(bounded ? "2" : "1");
  out.push_back(room_key(prefix, rule.name));
  if (bounded) out.push_back(out.back() + ":" + question.owner);
  out.emplace_back(word_of(question.ask));
  for (const std::int64_t number :
       {question.number, question.next, question.serving, question.stride, static_cast<std::int64_t>(rule.count),
        rule.period.count(), rule.burst, slices.grace, slices.most, slices.stay, slices.called, slices.seen,
        static_cast<std::int64_t>(kForgotten.count()), static_cast<std::int64_t>(rule.at_most)})
    out.push_back(std::to_string(number));
}

std::optional<Answer> read_script_reply(std::span<const std::int64_t> reply, const Question& question) {
  if (reply.size() != 6) return std::nullopt;
  if (reply[0] < 0 || reply[0] > 2 || reply[1] < 0 || reply[1] > 1) return std::nullopt;
  Answer answer{.lost = reply[1] == 1, .number = reply[2], .next = reply[3], .serving = reply[4], .taken = reply[5]};
  const bool looked = question.ask == Ask::look;
  answer.place = reply[0] == 2 ? VisitorState::none : reply[0] == 1 ? VisitorState::inside : VisitorState::waiting;
  if ((answer.place == VisitorState::none) != looked) return std::nullopt;
  if (answer.number < (looked ? 0 : 1) || answer.serving < 0 || answer.next < answer.serving || answer.taken < 0 ||
      answer.number > answer.next)
    return std::nullopt;
  return answer;
}

}  // namespace headgate::room
