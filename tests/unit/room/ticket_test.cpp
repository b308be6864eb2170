// Tickets as text, and how long their numbers wait.

#include "headgate/room/ticket.hpp"

#include "headgate/room/wait.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace headgate::test {
namespace {

using namespace std::chrono_literals;
using room::Ticket;

const Ticket kTicket{
    .kind = Ticket::Kind::ticket, .number = 1042, .at = 1'760'000'000, .serving = 980, .id = 0x1f00a2b3};

TEST(RoomTicket, IsReadAsItWasWritten) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000; ++i) {
    const Ticket ticket{.kind = i % 2 == 0 ? Ticket::Kind::ticket : Ticket::Kind::pass,
                        .number = 1 + static_cast<std::int64_t>(random() % room::kMaxNumber),
                        .at = static_cast<std::int64_t>(random() % room::kMaxNumber),
                        .serving = static_cast<std::int64_t>(random() % room::kMaxNumber),
                        .id = random() >> (i % 64)};
    const auto text = room::ticket_text(ticket, "9ab3c01d") + ".sig-_";
    const auto read = room::read_ticket(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->ticket, ticket);
    EXPECT_EQ(read->secret, "9ab3c01d");
    EXPECT_EQ(read->signature, "sig-_");
    EXPECT_EQ(std::string(read->text) + ".sig-_", text);
    EXPECT_LE(text.size(), room::kMaxTicketText);
  }
}

TEST(RoomTicket, HasOnlyOneSpelling) {
  const auto good = room::ticket_text(kTicket, "k") + ".s";
  EXPECT_EQ(good, "t.1042.1760000000.980.1f00a2b3.k.s");
  ASSERT_TRUE(room::read_ticket(good));
  for (const std::string text :
       {"", ".", "......", "t.1042.1760000000.980.1f00a2b3.k", "t.1042.1760000000.980.1f00a2b3.k.s.",
        "t.1042.1760000000.980.1f00a2b3..s", "t.1042.1760000000.980.1f00a2b3.k.", "T.1042.1760000000.980.1f00a2b3.k.s",
        "t.01042.1760000000.980.1f00a2b3.k.s", "t.+1042.1760000000.980.1f00a2b3.k.s",
        "t.-1.1760000000.980.1f00a2b3.k.s", "t.0.1760000000.980.1f00a2b3.k.s", "t.1042.1760000000.980.0x1f.k.s",
        "t.1042.1760000000.980.1f00a2b3f00a2b3f0.k.s", "t.99999999999999999999.1760000000.980.1f.k.s",
        "t.1042 .1760000000.980.1f.k.s", "t.1042.-5.980.1f.k.s"})
    EXPECT_FALSE(room::read_ticket(text)) << text;
  EXPECT_FALSE(room::read_ticket(good + std::string(200, 's')));
}

TEST(RoomTicket, IsReadFromAnyTextWithoutAFault) {
  std::mt19937 random(5);
  const std::string letters = "tp.0123456789abcdefXYZ-_ ";
  for (int i = 0; i < 20'000; ++i) {
    std::string text(random() % 80, ' ');
    for (auto& c : text) c = letters[random() % letters.size()];
    const auto read = room::read_ticket(text);
    if (!read) continue;
    EXPECT_EQ(room::ticket_text(read->ticket, read->secret), read->text) << text;
  }
}

const room::RoomRule kRated{.name = "r", .count = 10, .period = 1s, .burst = 20, .grace = 120s, .stay = 600s};
const Instant kHeard{std::chrono::seconds(1'760'000'000)};

TEST(RoomKnowledge, SparesOnlyCallersWhoAreCertainlyNotCalled) {
  room::Knowledge knowledge;
  EXPECT_FALSE(knowledge.is_far(kRated, 1'000'000, kHeard)) << "nothing is known";
  knowledge.heard({.next = 1000, .serving = 100}, kHeard);
  EXPECT_TRUE(knowledge.is_far(kRated, 1000, kHeard));
  EXPECT_FALSE(knowledge.is_far(kRated, 1000, kHeard + 3s)) << "too long ago";
  // Within two seconds the line moves by the rate and what nobody used.
  for (std::int64_t number = 1; number <= 100 + 20 + 20; ++number)
    EXPECT_FALSE(knowledge.is_far(kRated, number, kHeard + 2s)) << number;
}

TEST(RoomKnowledge, NeverGoesBack) {
  room::Knowledge knowledge;
  knowledge.heard({.next = 1000, .serving = 100}, kHeard);
  knowledge.heard({.next = 900, .serving = 90}, kHeard + 1s);
  EXPECT_EQ(knowledge.next(), 1000);
  EXPECT_EQ(knowledge.serving(), 100);
}

TEST(RoomKnowledge, EstimatesByTheRateOrByWhatItHasSeen) {
  room::Knowledge knowledge;
  knowledge.heard({.next = 1000, .serving = 100}, kHeard);
  EXPECT_EQ(knowledge.wait(kRated, 200), Duration(10s));
  EXPECT_EQ(knowledge.wait(kRated, 100), Duration(0));
  const room::RoomRule visitors{.name = "v", .visitors = 50, .grace = 120s, .stay = 600s};
  EXPECT_EQ(knowledge.wait(visitors, 200), Duration(1200s)) << "it has not moved yet: each place once in the stay";
  for (int i = 1; i <= 60; ++i) knowledge.heard({.next = 1000, .serving = 100 + 2 * i}, kHeard + i * 1s);
  ASSERT_TRUE(knowledge.wait(visitors, 420));
  EXPECT_NEAR(std::chrono::duration<double>(*knowledge.wait(visitors, 420)).count(), 100, 5);
}

TEST(RoomKnowledge, MeasuresTheLineOnlyWhileSomebodyWaitsAndNotByOneSilence) {
  const room::RoomRule visitors{.name = "v", .visitors = 50, .grace = 120s, .stay = 600s};
  room::Knowledge knowledge;
  for (int i = 0; i < 60; ++i) knowledge.heard({.next = i / 10, .serving = i / 10}, kHeard + i * 1s);
  EXPECT_EQ(knowledge.wait(visitors, 55), Duration(600s)) << "six visitors a minute is who came, not who may come";
  for (int i = 60; i < 120; ++i) knowledge.heard({.next = 1000, .serving = i - 54}, kHeard + i * 1s);
  const auto moving = knowledge.wait(visitors, 165);
  ASSERT_TRUE(moving);
  EXPECT_NEAR(std::chrono::duration<double>(*moving).count(), 100, 10);
  for (int i = 120; i < 180; ++i) knowledge.heard({.next = 1000, .serving = 65}, kHeard + i * 1s);
  EXPECT_EQ(knowledge.wait(visitors, 165), moving) << "nobody leaves for a minute";
}

TEST(RoomKnowledge, ACallerComesBackInTimeAndNotTooOften) {
  for (const Duration grace : {Duration(10s), Duration(30s), Duration(120s), Duration(3600s)}) {
    auto rule = kRated;
    rule.grace = grace;
    for (const Duration wait : {Duration(0), Duration(1s), Duration(60s), Duration(86'400s)}) {
      for (std::uint64_t id = 0; id < 32; ++id) {
        const auto refresh = room::refresh_after(rule, wait, id);
        EXPECT_GE(refresh, 1600ms);
        EXPECT_LE(refresh, std::min<Duration>(20s, grace / 3));
      }
      EXPECT_GE(room::retry_after(rule, wait), 1s);
      EXPECT_LE(room::retry_after(rule, wait), grace / 2);
    }
  }
}

}  // namespace
}  // namespace headgate::test
