using QuickSilver.Bench.Chaos;
using QuickSilver.Bench.Modes;
using QuickSilver.Bench.Overlaps;

namespace QuickSilver.Bench.Roles;

/// <summary>Everything a child process is told: one line of JSON on its standard input. What a role has no use for is
/// ignored.</summary>
internal sealed record RoleOrder
{
    public required RoleKind Role { get; init; }

    /// <summary>Name of the process in the report, and of its node.</summary>
    public required string Name { get; init; }

    /// <summary>Which of its kind, from 0.</summary>
    public int Number { get; init; }

    public int Receivers { get; init; } = 1;

    public int Groups { get; init; } = 1;

    /// <summary>Senders of the one group, where there are several.</summary>
    public int Senders { get; init; } = 1;

    /// <summary>Bytes of a message.</summary>
    public int Size { get; init; }

    public double WarmUpSeconds { get; init; }

    public double MeasuredSeconds { get; init; }

    /// <summary>Messages a second; 0: full speed.</summary>
    public double Rate { get; init; }

    public SendStyle Send { get; init; }

    public string Cluster { get; init; } = "";

    public int MembershipPort { get; init; }

    public TransportKind Transport { get; init; }

    /// <summary>Bytes of QuickSilver's datagrams; 0: its own choice.</summary>
    public int DatagramBytes { get; init; }

    public PayloadChecksum Checksum { get; init; }

    /// <summary>The run's key, as base64, which protects QuickSilver's nodes; null: nothing does.</summary>
    public string? Key { get; init; }

    /// <summary>Whether QuickSilver's nodes may read each other's packets in place.</summary>
    public bool SharesMemory { get; init; } = true;

    /// <summary>Microseconds that QuickSilver's core threads look for work before they sleep; 0: they sleep at
    /// once.</summary>
    public double SpinMicros { get; init; }

    /// <summary>Share of received datagrams that a QuickSilver receiver drops.</summary>
    public double Drop { get; init; }

    /// <summary>
    /// Where sender and receivers have clocks of their own: a receiver sends every so many messages back, and latency
    /// is half of the round trip; 0: all have one clock, and each message tells when it was sent.
    /// </summary>
    public int EchoEvery { get; init; }

    public string RawGroup { get; init; } = "";

    public int RawPort { get; init; }

    public int FeedbackPort { get; init; }

    /// <summary>Datagrams that a raw sender hands over in one call; 1: one by one.</summary>
    public int TrainLength { get; init; } = 1;

    /// <summary>Of a herd: how many groups there are; the member joins <see cref="Groups"/> of them, from a place of
    /// its own on.</summary>
    public int AllGroups { get; init; }

    /// <summary>Of rounds: messages of one, from all senders together.</summary>
    public int RoundMessages { get; init; }

    /// <summary>Of rounds: share of the groups that each receiver joins.</summary>
    public double Overlap { get; init; } = 1;

    /// <summary>Of a herd: whether a group was joined and left before the run, so that the code of a join is
    /// compiled.</summary>
    public bool IsWarm { get; init; }

    /// <summary>Of a disturbance: seconds for which the member hears nothing, every ten seconds.</summary>
    public double DeafSeconds { get; init; }

    /// <summary>
    /// Whether the runtime compiles each method once, as it is first called, and never again: it competes with nothing
    /// that is measured then, but what is carried at full speed is up to a fifth less.
    /// </summary>
    public bool CompilesOnce { get; init; }

    /// <summary>Whether the process notes what memory it holds.</summary>
    public bool NotesMemory { get; init; }

    /// <summary>Where it does: seconds between forced collections; 0: none.</summary>
    public double CollectSeconds { get; init; }

    /// <summary>Of a chaos run.</summary>
    public ChaosOrder? Chaos { get; init; }

    /// <summary>Of a run with several modes: the groups of each.</summary>
    public IReadOnlyList<ModeOrder> Modes { get; init; } = [];

    /// <summary>Messages in a raw datagram.</summary>
    public int Packed { get; init; } = 1;

    /// <summary>IPv4 address of the interface that this process uses.</summary>
    public string Address { get; init; } = "127.0.0.1";

    /// <summary>Where the process is that others connect to: a raw or TCP sender, or a broker.</summary>
    public string ServerAddress { get; init; } = "127.0.0.1";

    /// <summary>Where an adapter's sender listens for feedback.</summary>
    public string FeedbackAddress { get; init; } = "127.0.0.1";

    /// <summary>Where the membership is hosted; null: on this machine's loopback.</summary>
    public string? MembershipServer { get; init; }

    /// <summary>Where a TCP sender listens.</summary>
    public int TcpPort { get; init; }

    /// <summary>Of an irregular overlap.</summary>
    public OverlapOrder? Overlaps { get; init; }

    /// <summary>Regions above which the membership's host merges similar ones; 0: its own choice.</summary>
    public int MaxRegions { get; init; }

    /// <summary>Groups with a multicast address of their own that a node may be in; 0: its own choice.</summary>
    public int MostHybrid { get; init; }

    /// <summary>Ordered groups of this level; null: reliable ones.</summary>
    public OrderedLevel? Level { get; init; }

    /// <summary>Multicast addresses that the membership's host gives; null: its own choice.</summary>
    public string? MulticastPool { get; init; }

    /// <summary>Bytes of a long message.</summary>
    public long LongBytes { get; init; }

    /// <summary>Of processes that all connect to each other: their addresses, by number.</summary>
    public IReadOnlyList<string> Peers { get; init; } = [];

    public TcpStyle Tcp { get; init; }

    /// <summary>Whether TCP connections are encrypted by TLS 1.3.</summary>
    public bool IsTls { get; init; }
}
