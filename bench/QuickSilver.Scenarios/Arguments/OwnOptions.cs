using System.CommandLine;
using QuickSilver.Bench;
using QuickSilver.Bench.Peers;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Scenarios.Arguments;

/// <summary>How QuickSilver itself is set up where it is compared; all at its own defaults unless said.</summary>
internal sealed class OwnOptions
{
    private readonly Option<SendStyle> _send =
        new("--send")
        {
            Description = "How QuickSilver is told to send: async, try or feed.",
            DefaultValueFactory = _ => SendStyle.Async
        };

    private readonly Option<int> _datagram = new Option<int>("--datagram")
    {
        Description = "Bytes of QuickSilver's datagrams; 0: its own choice.",
        DefaultValueFactory = _ => 0,
    }.AtLeast(0);

    private readonly Option<PayloadChecksum> _checksum = new("--checksum")
    {
        Description =
            "Whether QuickSilver's packets carry a checksum of their payload: auto (not in loopback mode), on, off.",
        DefaultValueFactory = _ => PayloadChecksum.Auto,
    };

    private readonly Option<TransportKind> _transport = new("--transport")
    {
        Description = "How QuickSilver's messages travel: auto, multicast, or unicast, a copy to each receiver.",
        DefaultValueFactory = _ => TransportKind.Auto,
    };

    private readonly Option<RunSecurity[]> _security = SecurityOption.Make();

    /// <summary>To add to a command.</summary>
    public IReadOnlyList<Option> All => [_send, _datagram, _checksum, _transport, _security];

    /// <summary>The systems that are measured: QuickSilver's have a row for each kind of protection.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="names">Names of the <see cref="PeerCatalog"/>.</param>
    public List<Peer> Peers(ParseResult parsed, IReadOnlyList<string> names)
    {
        RunSecurity[] security = parsed.GetValue(_security)!;
        return [.. PeerCatalog.All.Where(IsMeasured)];

        bool IsMeasured(Peer peer) => peer switch
        {
            QuickSilverPeer { Security: RunSecurity.Key } own =>
                names.Contains(own.Name)
                || (names.Contains(own.Unsecured) && security.Contains(RunSecurity.Key)),
            QuickSilverPeer own => names.Contains(own.Name) && security.Contains(RunSecurity.None),
            _ => names.Contains(peer.Name),
        };
    }

    /// <summary>A setting with what was said.</summary>
    public PeerSetting Apply(ParseResult parsed, PeerSetting setting) => setting with
    {
        Send = parsed.GetValue(_send),
        DatagramBytes = parsed.GetValue(_datagram),
        Checksum = parsed.GetValue(_checksum),
        Transport = parsed.GetValue(_transport),
    };
}
