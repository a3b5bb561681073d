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
    ChaosMember,

    /// <summary>Hosts the membership and takes no part otherwise.</summary>
    Host,
    TcpSender,
    TcpReceiver,
}
