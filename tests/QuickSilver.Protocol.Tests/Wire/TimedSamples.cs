using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>The golden datagrams of timed groups, as our code writes them.</summary>
internal static class TimedSamples
{
    private static readonly StepNumber Step = new(WireSamples.ServerEpoch, 41);
    private static readonly StepNumber Before = new(WireSamples.ServerEpoch, 40);
    private static readonly StepNumber Older = new(WireSamples.OtherReign, 41);
    private static readonly StepNumber Oldest = new(WireSamples.OtherReign, 40);

    public static TimedHead Plain => new()
    {
        Group = 300,
        Number = 1,
        Place = new TimedPlace(Step, 1, 1, default),
        Count = 1,
        Life = TimeSpan.FromSeconds(3),
    };

    public static TimedHead Keyed
    {
        get
        {
            var head = new TimedHead
            {
                Group = 7,
                Number = 500,
                Place = new TimedPlace(new StepNumber(WireSamples.ServerEpoch, 300), 800, 400, Older),
                Index = 1,
                Count = 3,
                Before = 0xC31B,
                Importance = Importance.Low,
                Age = TimeSpan.FromMilliseconds(1.2),
                Life = TimeSpan.FromMilliseconds(200),
                IsKeyed = true,
                Key = 0x1122334455667700,
            };
            head.Replaced.Add(new TimedReplaced.Entry(900, 3, 455));
            head.Replaced.Add(new TimedReplaced.Entry(899, 1, 454));
            return head;
        }
    }

    public static TimedHead High => new()
    {
        Group = 300,
        Number = 128,
        Place = new TimedPlace(Older, 129, 128, Oldest),
        Count = 1,
        Before = 0xFFFF,
        Importance = Importance.High,
        Age = TimeSpan.FromSeconds(2),
        Life = TimeSpan.FromSeconds(9),
    };

    public static TimedHead OfPartner => new()
    {
        Group = 300,
        Number = 128,
        Place = new TimedPlace(Step, 101, 101, Before),
        Count = 1,
        Age = TimeSpan.FromMilliseconds(0.5),
        Life = TimeSpan.FromSeconds(3),
    };

    public static TimedStatusBody Status => new()
    {
        Group = 300,
        Number = 500,
        Place = new TimedPlace(Step, 800, 400, Before),
        Before = 0x000C,
        Oldest = 901,
        RoundTrip = TimeSpan.FromMicroseconds(800),
        Probe = 5_000_000,
    };

    public static IEnumerable<(string Name, byte[] Datagram)> All()
    {
        yield return ("timed-data", Packet(DatagramKind.TimedData, Plain, 1, "hi"));
        yield return ("timed-data-keyed", Packet(DatagramKind.TimedData, Keyed, 1000, "abcd"));
        yield return ("timed-repair", Packet(DatagramKind.TimedRepair, High, 129, "x"));
        yield return ("timed-repair-partner", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.TimedRepair, DatagramFlags.FromPeer, 129),
            (ref WireWriter writer) =>
            {
                writer.WriteUInt64(WireSamples.Peer.Key);
                OfPartner.WriteTo(ref writer, WireSamples.ServerEpoch, 129);
                writer.WriteBytes("x"u8);
            }));
        yield return ("timed-nak", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.TimedNak, sequence: WireSamples.Peer.Key),
            (ref WireWriter writer) => TimedNakBody.Write(
                ref writer, 300, true, 5_000_000, TimeSpan.FromMilliseconds(1.5), [new(10, 11), new(300, 428)])));
        yield return ("timed-nak-plain", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.TimedNak, sequence: WireSamples.Peer.Key),
            (ref WireWriter writer) => TimedNakBody.Write(ref writer, 1, false, 0, default, [new(1, 3)])));
        yield return ("timed-gone", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.TimedGone, sequence: 200),
            (ref WireWriter writer) => TimedGoneBody.Write(ref writer, 300, [new(210, 213)])));
        yield return ("timed-status", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.TimedStatus, sequence: 1000),
            (ref WireWriter writer) => Status.WriteTo(ref writer, WireSamples.ServerEpoch, 1000)));
        yield return ("timed-echo", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.TimedEcho, sequence: WireSamples.Peer.Key),
            (ref WireWriter writer) =>
                new TimedEchoBody(300, 5_000_000, TimeSpan.FromMilliseconds(2)).WriteTo(ref writer)));
    }

    private static byte[] Packet(DatagramKind kind, TimedHead head, ulong sequence, string text) =>
        WireSamples.Datagram(
            WireSamples.Header(kind, sequence: sequence),
            (ref WireWriter writer) =>
            {
                head.WriteTo(ref writer, WireSamples.ServerEpoch, sequence);
                writer.WriteBytes(System.Text.Encoding.ASCII.GetBytes(text));
            });
}
