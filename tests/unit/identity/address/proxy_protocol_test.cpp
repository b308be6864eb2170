#include "headgate/identity/proxy_protocol.hpp"

#include "proxy_headers.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

namespace headgate::identity {
namespace {

using test::header_v2;
using test::kIpv4Ends;
using test::ssl;
using test::summed;
using test::tlv;

/// "SOURCE", "own" where the connection speaks for itself, "more" or "malformed"; and what else is told.
std::string said(std::string_view bytes) {
  ProxyHeader header;
  switch (read_proxy_header(bytes, header)) {
    case ProxyHeaderState::more:
      return "more";
    case ProxyHeaderState::malformed:
      return "malformed";
    case ProxyHeaderState::whole:
      break;
  }
  std::string out = header.source ? header.source->to_string() : "own";
  if (header.tls) out += " tls";
  if (header.certificate) out += " certificate";
  return out + " then \"" + std::string(bytes.substr(header.size)) + '"';
}

struct Row {
  std::string bytes;
  std::string said;
};

void PrintTo(const Row& row, std::ostream* out) { *out << testing::PrintToString(row.bytes); }

/// Each row is read whole, with the client's bytes behind it, and at every length at which it is not yet whole.
class WholeHeader : public testing::TestWithParam<Row> {};

TEST_P(WholeHeader, IsReadHoweverItsBytesArrive) {
  const auto& row = GetParam();
  EXPECT_EQ(said(row.bytes), row.said + " then \"\"");
  EXPECT_EQ(said(row.bytes + "GET / HTTP/1.1\r\n"), row.said + " then \"GET / HTTP/1.1\r\n\"");
  for (std::size_t size = 0; size < row.bytes.size(); ++size) {
    EXPECT_EQ(said(std::string_view(row.bytes).substr(0, size)), "more") << "of " << size << " bytes";
  }
}

const std::string kIpv6Ends = std::string("\x20\x01\x0d\xb8", 4) + std::string(11, '\0') + '\x01' +
                              std::string("\xfd\0", 2) + std::string(13, '\0') + '\x02' + "\x12\x67" + "\x01\xbb";
const std::string kMappedEnds = std::string(10, '\0') + "\xff\xff" + std::string("\xcb\x00\x71\x07", 4) +
                                std::string(10, '\0') + "\xff\xff" + std::string("\xc0\x00\x02\x01", 4) + "\x12\x67" +
                                "\x01\xbb";

INSTANTIATE_TEST_SUITE_P(
    Version1, WholeHeader,
    testing::Values(Row{"PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\n", "203.0.113.7"},
                    Row{"PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", "255.255.255.255"},
                    Row{"PROXY TCP4 0.0.0.0 0.0.0.0 0 0\r\n", "0.0.0.0"},
                    Row{"PROXY TCP6 2001:db8::1 ::1 4711 443\r\n", "2001:db8::1"},
                    Row{"PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
                        "65535 65535\r\n",
                        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
                    Row{"PROXY TCP6 ::ffff:203.0.113.7 ::1 1 2\r\n", "203.0.113.7"}, Row{"PROXY UNKNOWN\r\n", "own"},
                    Row{"PROXY UNKNOWN \r\n", "own"}, Row{"PROXY UNKNOWN whatever  else 99999\r\n", "own"},
                    Row{"PROXY UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
                        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
                        "own"}));

INSTANTIATE_TEST_SUITE_P(
    Version2, WholeHeader,
    testing::Values(
        Row{header_v2(0x21, 0x11, kIpv4Ends), "203.0.113.7"}, Row{header_v2(0x21, 0x12, kIpv4Ends), "203.0.113.7"},
        Row{header_v2(0x21, 0x21, kIpv6Ends), "2001:db8::1"}, Row{header_v2(0x21, 0x22, kIpv6Ends), "2001:db8::1"},
        Row{header_v2(0x21, 0x21, kMappedEnds), "203.0.113.7"},
        Row{header_v2(0x21, 0x31, std::string(216, 'p')), "own"},
        Row{header_v2(0x21, 0x32, std::string(216, 'p')), "own"}, Row{header_v2(0x21, 0x00, ""), "own"},
        Row{header_v2(0x21, 0x00, tlv(0x04, "")), "own"}, Row{header_v2(0x20, 0x00, ""), "own"},
        Row{header_v2(0x20, 0x11, kIpv4Ends), "own"}, Row{header_v2(0x20, 0xff, "whatever"), "own"},
        Row{header_v2(0x21, 0x11, kIpv4Ends + tlv(0xee, std::string(kMaxProxyHeader - 31, 'x'))), "203.0.113.7"}));

INSTANTIATE_TEST_SUITE_P(
    Tlvs, WholeHeader,
    testing::Values(Row{header_v2(0x21, 0x11, kIpv4Ends + ssl(0x01, 0)), "203.0.113.7 tls"},
                    Row{header_v2(0x21, 0x11, kIpv4Ends + ssl(0x03, 0)), "203.0.113.7 tls certificate"},
                    Row{header_v2(0x21, 0x11, kIpv4Ends + ssl(0x07, 0)), "203.0.113.7 tls certificate"},
                    Row{header_v2(0x21, 0x11, kIpv4Ends + ssl(0x03, 1)), "203.0.113.7 tls"},
                    Row{header_v2(0x21, 0x11, kIpv4Ends + ssl(0x03, 0x80000000)), "203.0.113.7 tls"},
                    Row{header_v2(0x21, 0x11, kIpv4Ends + ssl(0x05, 0)),
                        "203.0.113.7 tls certificate"},  // shown when the session that this one resumes was made
                    Row{header_v2(0x21, 0x11, kIpv4Ends + ssl(0x02, 0)), "203.0.113.7"},
                    Row{header_v2(0x21, 0x11, kIpv4Ends + ssl(0x00, 0)), "203.0.113.7"},
                    Row{header_v2(0x21, 0x11, kIpv4Ends + ssl(0x03, 0, tlv(0x21, "TLSv1.3") + tlv(0x22, "name"))),
                        "203.0.113.7 tls certificate"},
                    Row{header_v2(0x21, 0x21, kIpv6Ends + tlv(0x01, "h2") + tlv(0x02, "a.example") + ssl(0x03, 0)),
                        "2001:db8::1 tls certificate"},
                    Row{header_v2(0x21, 0x11, kIpv4Ends + tlv(0xe0, "ours") + tlv(0xe0, "again") + tlv(0x04, "")),
                        "203.0.113.7"},
                    Row{header_v2(0x20, 0x11, kIpv4Ends + ssl(0x03, 0)), "own"}, Row{summed(), "203.0.113.7"},
                    Row{summed(ssl(0x03, 0)), "203.0.113.7 tls certificate"}));

TEST(ProxyHeader, UsesTheChecksumOfCastagnoli) {
  // RFC 3720 appendix B.4: a sum made elsewhere, lest two equal mistakes agree.
  boost::crc_optimal<32, 0x1edc6f41, 0xffffffff, 0xffffffff, true, true> crc;
  const std::string zeros(32, '\0');
  crc.process_bytes(zeros.data(), zeros.size());
  EXPECT_EQ(crc.checksum(), 0x8a9136aaU);
}

TEST(ProxyHeader, FailsItsChecksumIfAnyByteChanges) {
  const auto header = summed(ssl(0x01, 0));
  constexpr std::size_t kLength = 14;    // another length: not whole, or whole elsewhere
  constexpr std::size_t kSumsType = 28;  // another type: no sum at all
  for (std::size_t at = 0; at < header.size(); ++at) {
    if (at == kLength || at == kLength + 1 || at == kSumsType) continue;
    auto changed = header;
    changed[at] = static_cast<char>(changed[at] ^ 0x40);
    EXPECT_EQ(said(changed), "malformed") << at;
  }
}

class MalformedHeader : public testing::TestWithParam<std::string> {};

TEST_P(MalformedHeader, IsRefused) { EXPECT_EQ(said(GetParam()), "malformed"); }

INSTANTIATE_TEST_SUITE_P(Neither, MalformedHeader,
                         testing::Values("GET / HTTP/1.1\r\n", "P ", "PROXy", "PROXY\tTCP4", "proxy TCP4 ", " PROXY ",
                                         "\r\n\r\nG", "\n", std::string("\0", 1), "\x16\x03\x01"));

INSTANTIATE_TEST_SUITE_P(
    Version1, MalformedHeader,
    testing::Values("PROXY \r\n", "PROXY TCP4\r\n", "PROXY TCP4 \r\n", "PROXY TCP5 1.2.3.4 1.2.3.4 1 2\r\n",
                    "PROXY tcp4 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY UDP4 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY UNKNOWNS\r\n",
                    "PROXY  TCP4 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY TCP4  1.2.3.4 1.2.3.4 1 2\r\n",
                    "PROXY TCP4 1.2.3.4  1.2.3.4 1 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4  1 2\r\n",
                    "PROXY TCP4 1.2.3.4 1.2.3.4 1  2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 \r\n",
                    "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n",
                    "PROXY TCP4 1.2.3.4 1.2.3.4 1 \r\n", "PROXY TCP4 1.2.3.4\t1.2.3.4 1 2\r\n",
                    "PROXY TCP4 1.2.3.4 1.2.3.4 01 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 00\r\n",
                    "PROXY TCP4 1.2.3.4 1.2.3.4 65536 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 99999\r\n",
                    "PROXY TCP4 1.2.3.4 1.2.3.4 -1 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 +1 2\r\n",
                    "PROXY TCP4 1.2.3.4 1.2.3.4 1 x\r\n", "PROXY TCP4 01.2.3.4 1.2.3.4 1 2\r\n",
                    "PROXY TCP4 1.2.3 1.2.3.4 1 2\r\n", "PROXY TCP4 1.2.3.256 1.2.3.4 1 2\r\n",
                    "PROXY TCP4 1.2.3.4 host 1 2\r\n", "PROXY TCP4 ::1 ::1 1 2\r\n", "PROXY TCP4 1.2.3.4 ::1 1 2\r\n",
                    "PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY TCP6 ::1 1.2.3.4 1 2\r\n",
                    "PROXY TCP6 [::1] ::1 1 2\r\n", "PROXY TCP6 fe80::1%1 ::1 1 2\r\n", "PROXY TCP6 :::1 ::1 1 2\r\n",
                    "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\rx",
                    "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r\r\n", "PROXY UNKNOWN a\rb\r\n", "PROXY UNKNOWN a\nb\r\n",
                    "PROXY \n", "PROXY UNKNOWN " + std::string(92, 'x') + "\r\n",
                    "PROXY UNKNOWN " + std::string(93, 'x')));

TEST(ProxyHeader, OfVersion1IsALineOfAtMost107Bytes) {
  const std::string longest = "PROXY UNKNOWN " + std::string(91, 'x') + "\r\n";
  ASSERT_EQ(longest.size(), 107U);
  EXPECT_EQ(said(longest), "own then \"\"");
  EXPECT_EQ(said(longest.substr(0, 106)), "more");
}

INSTANTIATE_TEST_SUITE_P(
    Version2, MalformedHeader,
    testing::Values(
        header_v2(0x11, 0x11, kIpv4Ends), header_v2(0x31, 0x11, kIpv4Ends), header_v2(0x01, 0x11, kIpv4Ends),
        header_v2(0x22, 0x11, kIpv4Ends), header_v2(0x2f, 0x00, ""),  // version, command
        header_v2(0x21, 0x10, kIpv4Ends), header_v2(0x21, 0x13, kIpv4Ends), header_v2(0x21, 0x01, kIpv4Ends),
        header_v2(0x21, 0x20, kIpv6Ends), header_v2(0x21, 0x30, std::string(216, 'p')), header_v2(0x21, 0x41, ""),
        header_v2(0x21, 0xf1, kIpv4Ends),  // family, transport
        header_v2(0x21, 0x11, ""), header_v2(0x21, 0x11, kIpv4Ends.substr(1)), header_v2(0x21, 0x21, kIpv4Ends),
        header_v2(0x21, 0x21, kIpv6Ends.substr(1)), header_v2(0x21, 0x31, std::string(215, 'p')),  // addresses cut
        header_v2(0x21, 0x11, kIpv4Ends + '\x04'), header_v2(0x21, 0x11, kIpv4Ends + std::string("\x04\0", 2)),
        header_v2(0x21, 0x11, kIpv4Ends + std::string("\x04\0\x01", 3)),
        header_v2(0x21, 0x11, kIpv4Ends + "\x04\xff\xff"), header_v2(0x21, 0x11, kIpv4Ends + tlv(0x04, "a") + 'b'),
        header_v2(0x21, 0x00, "x"),  // TLVs
        header_v2(0x21, 0x11, kIpv4Ends + tlv(0x20, "")),
        header_v2(0x21, 0x11, kIpv4Ends + tlv(0x20, "\x03\x01\x01\x01")),
        header_v2(0x21, 0x11, kIpv4Ends + ssl(0x03, 0, "x")),
        header_v2(0x21, 0x11, kIpv4Ends + ssl(0x03, 0, "\x21\xff\xff")),
        header_v2(0x21, 0x11, kIpv4Ends + ssl(0x03, 1) + ssl(0x03, 0)),  // and which of the two?
        header_v2(0x21, 0x11, kIpv4Ends + tlv(0x03, test::four_bytes(0))),
        header_v2(0x21, 0x11, kIpv4Ends + tlv(0x03, "abc")), header_v2(0x21, 0x11, kIpv4Ends + tlv(0x03, "abcde")),
        summed(tlv(0x03, test::four_bytes(0)))));

TEST(ProxyHeader, IsRefusedBeforeItArrivesIfItAnnouncesTooGreatALength) {
  const auto claims = [](std::size_t length) { return test::kSignature + "\x21\x11" + test::two_bytes(length); };
  EXPECT_EQ(said(claims(kMaxProxyHeader - 16)), "more");
  EXPECT_EQ(said(claims(kMaxProxyHeader - 15)), "malformed");
  EXPECT_EQ(said(claims(0xffff)), "malformed");
  EXPECT_EQ(said(test::kSignature + "\x20" + '\0' + test::two_bytes(0xffff)), "malformed") << "LOCAL is no exception";
}

TEST(ProxyHeader, ChangesNothingWhileItIsIncomplete) {
  ProxyHeader header;
  header.size = 7;
  header.certificate = true;
  const auto whole = header_v2(0x21, 0x11, kIpv4Ends);
  EXPECT_EQ(read_proxy_header(std::string_view(whole).substr(0, 20), header), ProxyHeaderState::more);
  EXPECT_EQ(read_proxy_header("GET ", header), ProxyHeaderState::malformed);
  EXPECT_EQ(header.size, 7U);
  ASSERT_EQ(read_proxy_header(whole, header), ProxyHeaderState::whole);
  EXPECT_FALSE(header.certificate) << "an earlier header's word";
}

}  // namespace
}  // namespace headgate::identity
