using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>The golden datagrams of ordered groups, as our code writes them.</summary>
internal static class OrderedSamples
{
    private static readonly RingId Ring = new(7, 300);
    private static readonly RingId Next = new(8, 1);

    public static IEnumerable<(string Name, byte[] Datagram)> All()
    {
        yield return ("ordered-data", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.OrderedData, DatagramFlags.PayloadChecksum),
            static (ref WireWriter writer) =>
            {
                WritePacket(ref writer);
                new OrderedRecord { Group = 300, Number = 1, IsFirst = true, IsLast = true }
                    .WriteTo(ref writer, default);
            }));
        yield return ("ordered-data-several", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.OrderedData),
            static (ref WireWriter writer) =>
            {
                WritePacket(ref writer);
                new OrderedRecord { Group = 3, Number = 18, IsFirst = true, IsLast = true }
                    .WriteTo(ref writer, "de"u8, [new OrderedPlace(5, 2), new OrderedPlace(300, 129)]);
            }));
        yield return ("ordered-repair", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.OrderedRepair, DatagramFlags.PayloadChecksum),
            static (ref WireWriter writer) => WritePacket(ref writer)));
        yield return ("ordered-token", WireSamples.Datagram(
            ToPeer(DatagramKind.OrderedToken),
            static (ref WireWriter writer) => new OrderedTokenBody
            {
                Ring = Ring,
                Hop = 200,
                Sequence = 40,
                Held = 30,
                LoweredBy = 5,
                Flow = 12,
                Step = 301,
            }.WriteTo(ref writer, [new SequenceRange(31, 33)])));
        yield return ("ordered-word", WireSamples.Datagram(
            ToPeer(DatagramKind.OrderedWord),
            static (ref WireWriter writer) => new OrderedWordBody(Ring, 200).WriteTo(ref writer)));
        yield return ("ordered-report", WireSamples.Datagram(
            ToPeer(DatagramKind.OrderedReport),
            static (ref WireWriter writer) => new OrderedReportBody
            {
                Ring = Ring,
                Next = Next,
                IsComplete = true,
                IsConcluded = true,
                UpTo = 12,
                Stable = 11,
                Further = 9,
                Map = new byte[] { 0xFE, 1 },
                Members = 3,
                Survivors = new byte[] { 5 },
            }.WriteTo(ref writer)));
        yield return ("ordered-report-absent", WireSamples.Datagram(
            ToPeer(DatagramKind.OrderedReport),
            static (ref WireWriter writer) =>
                new OrderedReportBody { Ring = Ring, Next = Next, IsAbsent = true }.WriteTo(ref writer)));
        yield return ("ordered-call", WireSamples.Datagram(
            ToPeer(DatagramKind.OrderedCall),
            static (ref WireWriter writer) => OrderedCallBody.WriteCall(ref writer, [0x3_0000_0005])));
        yield return ("ordered-call-answer", WireSamples.Datagram(
            ToPeer(DatagramKind.OrderedCall),
            static (ref WireWriter writer) => OrderedCallBody.WriteAnswer(ref writer)));
        yield return ("ordered-ask", WireSamples.Datagram(
            ToPeer(DatagramKind.OrderedAsk),
            static (ref WireWriter writer) =>
                OrderedAskBody.Write(ref writer, Ring, [new SequenceRange(3, 5), new SequenceRange(9, 10)])));
    }

    private static DatagramHeader ToPeer(DatagramKind kind) =>
        WireSamples.Header(kind, sequence: WireSamples.Peer.Key);

    private static void WritePacket(ref WireWriter writer)
    {
        new OrderedHead(Ring, 1000, 0x1_0000_0002, 305).WriteTo(ref writer);
        new OrderedRecord { Group = 3, Number = 17, IsFirst = true, IsSafe = true }.WriteTo(ref writer, "abc"u8);
    }
}
