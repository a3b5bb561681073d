namespace QuickSilver.Scenarios.Roles;

/// <summary>What a child process does in a scenario.</summary>
internal enum RoleKind
{
    Sender,
    Receiver,
    RawSender,
    RawReceiver,
    IdleMember,
    HerdMember,
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
}
