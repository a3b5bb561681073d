using QuickSilver.Bench.Raw;
using QuickSilver.Bench.Tcp;

namespace QuickSilver.Bench.Roles;

/// <summary>What a child process does in a scenario.</summary>
internal enum RoleKind
{
    Sender,
    Receiver,
    RawSender,
    RawReceiver,
    IdleMember,
    HerdMember,

    /// <summary>One of several that start at once on an overloaded machine; the one that serves is killed.</summary>
    StartsMember,

    /// <summary>One of several that join the same many groups at once; one of them is killed later.</summary>
    JoinsMember,

    /// <summary>A node that hosts its membership, joins many groups alone, and then changes single ones.</summary>
    JoinsAlone,
    DisturbedMember,
    ChaosMember,

    /// <summary>Hosts the membership and takes no part otherwise.</summary>
    Host,
    TcpSender,
    TcpReceiver,

    /// <summary>One of several senders of one group.</summary>
    StreamSender,

    /// <summary>Receives from several senders of one group, and notes how far it is all along.</summary>
    StreamReceiver,

    /// <summary>Sends a round of messages at each word of the coordinator.</summary>
    RoundSender,

    /// <summary>Tells when all of a round has come.</summary>
    RoundReceiver,

    /// <summary>A member of groups of several modes.</summary>
    ModesMember,

    /// <summary>The same over TCP connections.</summary>
    ModesTcpMember,

    /// <summary>Writes one long message.</summary>
    LongSender,

    /// <summary>Reads it.</summary>
    LongReceiver,

    /// <summary>Some nodes of an irregular overlap of groups.</summary>
    OverlapMember,
}
