#include "rooms.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/observe/families/rooms.hpp"
#include "headgate/room/line.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace headgate::gateway {
namespace {

using room::Answer;
using room::Question;

constexpr Duration kLook = std::chrono::seconds(1);
constexpr Duration kForget = std::chrono::seconds(60);  // longer than the interval at which waiting callers ask again

/// Adds the known state of the line to the question: a store that takes over the line may have older numbers.
Question informed(Question question, const room::Knowledge& knowledge) {
  question.serving = std::max(question.serving, knowledge.serving());
  question.next = std::max({question.next, knowledge.next(), question.serving, question.number});
  return question;
}

}  // namespace

Rooms::Rooms(Clock& clock, room::MemoryRooms& memory)
    : clock_(clock), memory_(memory), alarm_(clock.alarm(&Rooms::on_alarm, this)) {}

Task<Result<Answer>> Rooms::ask(SnapshotPtr snapshot, const CompiledRoom& room, Question question) {
  used(snapshot, room);
  return question_to(std::move(snapshot), room, std::move(question));
}

Answer Rooms::ask_alone(const SnapshotPtr& snapshot, const CompiledRoom& room, Question question) {
  used(snapshot, room);
  return question_alone(room, std::move(question));
}

Task<Result<Answer>> Rooms::question_to(SnapshotPtr snapshot, const CompiledRoom& room, Question question) {
  question = informed(question, book(room).knowledge);
  if (room.options.store == limit::Store::memory) {
    const auto answer = memory_.ask(room.options.rule, question, clock_.wall());
    heard(room, answer);
    co_return answer;
  }
  const auto self = shared_from_this();
  auto call = snapshot->rooms->ask(room.options.rule, question);
  const auto answer = co_await call;
  if (answer.has_error()) co_return answer;
  if (std::exchange(book(room).alone, false)) memory_.forget(room.alone.current().rule.name);
  heard(room, *answer);
  co_return answer;
}

Answer Rooms::question_alone(const CompiledRoom& room, Question question) {
  auto& of = book(room);
  const auto now = clock_.wall();
  question = informed(question, of.knowledge);
  const auto& alone = room.alone.current();
  question.stride = alone.stride;
  if (!std::exchange(of.alone, true)) memory_.take_over(alone.rule, of.knowledge.taken() / alone.stride, now);
  const auto answer = memory_.ask(alone.rule, question, now);
  heard(room, answer);
  return answer;
}

void Rooms::stop() {
  alarm_.reset();
  books_.clear();
}

Rooms::Book& Rooms::book(const CompiledRoom& room) { return books_[room.options.rule.name]; }

void Rooms::used(const SnapshotPtr& snapshot, const CompiledRoom& room) {
  auto& of = book(room);
  of.snapshot = snapshot;
  of.room = &room;
  of.used_at = clock_.steady();
  of.busy = true;
  arm();
}

void Rooms::heard(const CompiledRoom& room, const Answer& answer) {
  auto& of = book(room);
  of.knowledge.heard(answer, clock_.wall());
  if (of.snapshot) of.snapshot->counters->of<RoomCounters>().show(room, of.knowledge);
}

void Rooms::arm() {
  if (armed_ || !alarm_) return;
  armed_ = true;
  alarm_->set(kLook);
}

void Rooms::on_alarm(void* self) {
  auto& rooms = *static_cast<Rooms*>(self);
  rooms.armed_ = false;
  const auto keep = rooms.shared_from_this();
  std::vector<std::string> names;
  for (auto& [name, book] : rooms.books_) {
    const auto& known = book.knowledge;
    const bool forgotten = rooms.clock_.steady() - book.used_at > kForget;
    book.busy = book.busy && (!forgotten || known.serving() < known.next() || known.taken() > 0);
    if (!book.busy) book.snapshot.reset();  // so that an unused room does not keep an old configuration alive
    if (book.busy && !std::exchange(book.looking, true)) names.push_back(name);
  }
  for (auto& name : names) spawn(look(keep, std::move(name)), "look at a waiting room");
  const auto busy = [](const auto& each) { return each.second.busy; };
  if (std::any_of(rooms.books_.begin(), rooms.books_.end(), busy)) rooms.arm();
}

Task<void> Rooms::look(std::shared_ptr<Rooms> self, std::string name) {
  const auto at = self->books_.find(name);
  if (at == self->books_.end() || !at->second.snapshot) co_return;
  const auto snapshot = at->second.snapshot;  // keeps `room` alive during the call
  const auto& room = *at->second.room;
  auto call = self->question_to(snapshot, room, {});
  const auto answer = co_await call;
  if (!self->alarm_) co_return;  // stop() was called in the meantime
  auto& book = self->book(room);
  if (answer.has_error() && book.alone) self->question_alone(room, {});
  book.looking = false;
}

RoomCounters::RoomCounters(const Counting& counting) {
  namespace family = observe::family;
  auto& registry = counting.registry;
  const auto worker = counting.worker;
  for (const auto& room : counting.compiled.rooms()) {
    const observe::LabelValues name{room->options.rule.name};
    rooms_.push_back({.admitted = &registry.counter(worker, family::room_admitted, name),
                      .waits = &registry.counter(worker, family::room_waits, name),
                      .lost = &registry.counter(worker, family::room_lost, name),
                      .observed = &registry.counter(worker, family::room_observed, name),
                      .waiting = &registry.gauge(family::room_waiting, name),
                      .inside = &registry.gauge(family::room_inside, name),
                      .seconds = &registry.gauge(family::room_wait_seconds, name)});
  }
}

void RoomCounters::count(const Exchange& x) const {
  if (x.room.outcome == RoomOutcome::none) return;
  const auto& room = rooms_[x.route->room->number];
  if (x.room.observed) room.observed->add();
  if (x.room.outcome == RoomOutcome::admitted) room.admitted->add();
  if (x.room.outcome == RoomOutcome::lost) room.lost->add();
  if (x.room.outcome == RoomOutcome::lost || x.room.outcome == RoomOutcome::waiting) room.waits->add();
}

void RoomCounters::show(const CompiledRoom& room, const room::Knowledge& knowledge) const {
  const auto& counters = rooms_[room.number];
  const auto wait = knowledge.wait(room.options.rule, knowledge.next());
  counters.waiting->set(static_cast<double>(knowledge.next() - knowledge.serving()));
  counters.inside->set(static_cast<double>(room::inside_of(knowledge.taken())));
  if (wait) counters.seconds->set(std::chrono::duration<double>(*wait).count());
}

}  // namespace headgate::gateway
