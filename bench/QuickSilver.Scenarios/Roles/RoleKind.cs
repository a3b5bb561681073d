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
}
