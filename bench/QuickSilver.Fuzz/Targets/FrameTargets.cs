using QuickSilver.Fuzz.Inputs;
using QuickSilver.Protocol.Membership.Discovery;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Fuzz.Targets;

/// <summary>
/// The decoders of the membership's frames. They make lists and names of what they read: an entry of a few bytes
/// becomes an object, so their limit is a multiple of the input's length.
/// </summary>
/// <param name="corpus">Real frames.</param>
internal sealed class FrameTargets(Corpus corpus)
{
    private const int PerByte = 32;
    private const int Fixed = 1024;
    private static readonly Epoch ServerEpoch = new(1, 99);

    /// <summary>A decoder of a frame's body.</summary>
    private delegate bool BodyDecoder(ref WireReader reader);

    /// <summary>All of them.</summary>
    public IEnumerable<FuzzTarget> All()
    {
        yield return Frame(
            "hello", corpus.Frames(FrameKind.Hello), input => HelloFrame.TryRead(input) is { ClusterName.Length: > 0 });
        yield return Frame("report", corpus.Frames(FrameKind.Report), input => ReportFrame.TryRead(input) is not null);
        yield return Body("welcome", FrameKind.Welcome, (ref reader) => WelcomeFrame.TryRead(ref reader, out _));
        yield return Body("nodes", FrameKind.Nodes, (ref reader) => NodeFrame.TryRead(ref reader) is not null);
        yield return Body(
            "groups", FrameKind.Groups, (ref reader) => GroupFrame.TryRead(ref reader, ServerEpoch) is not null);
        // Runs of groups unfold, by a few bytes to many: to no more than the longest frame could spell out.
        yield return Body(
            "regions",
            FrameKind.Regions,
            (ref reader) => RegionFrame.TryRead(ref reader) is not null,
            unfolds: RegionFrame.MaxCounters * sizeof(uint));
        yield return new DelegateTarget(
            "announcement", [.. Announcements()], static input => Announcement.TryRead(input, out _));
        yield return Body("step", FrameKind.Step, (ref reader) => StepFrame.TryRead(ref reader) is not null);
    }

    private static IEnumerable<byte[]> Announcements()
    {
        NetAddress[] addresses = [0x0A000005, new NetAddress(0xFD00_0000_0000_0000, 5)];
        foreach (NetAddress address in addresses)
        {
            var frame = new FrameBuilder();
            new Announcement
            {
                Kind = AnnouncementKind.Server,
                Sender = 1,
                Number = 2,
                EndPoint = new NetEndpoint(address, 14_999),
                Term = 300,
                Members = 3,
                Cluster = "demo"u8,
                Key = address.IsIPv6 ? 4UL : 0,
            }.WriteTo(frame);
            yield return address.IsIPv6
                ? frame.WriteBytes(new byte[Announcement.ProofBytes]).ToArray()
                : frame.ToArray();
        }
    }

    private static DelegateTarget Frame(string name, byte[][] valid, DelegateTarget.Decoder decode, int unfolds = 0) =>
        new(name, valid, decode) { PerByte = PerByte, Fixed = Fixed + unfolds };

    private DelegateTarget Body(string name, FrameKind kind, BodyDecoder decode, int unfolds = 0)
    {
        byte[][] bodies = [.. corpus.Frames(kind).Select(frame => frame[1..])];
        return Frame(name, bodies, input =>
        {
            var reader = new WireReader(input);
            return decode(ref reader);
        }, unfolds);
    }
}
