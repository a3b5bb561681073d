namespace QuickSilver.Protocol.Membership;

/// <summary>The modes of groups (<see cref="GroupInfo.Mode"/>): what a group promises about its messages.</summary>
public static class GroupModes
{
    /// <summary>Every member delivers every message once, in the order of its sender.</summary>
    public const byte Reliable = 0;

    /// <summary>On arrival, at most once; receivers repair each other with combinations of packets.</summary>
    public const byte Lateral = 1;

    /// <summary>Per sender in order with skips; what is older than its time is dropped.</summary>
    public const byte Timed = 2;

    /// <summary>Number of modes.</summary>
    public const int Count = 3;

    /// <summary>The refusal of a request whose mode is not that of the group.</summary>
    public static MembershipRefusal RefusalOf(byte modeOfGroup) => modeOfGroup switch
    {
        Reliable => MembershipRefusal.GroupIsReliable,
        Lateral => MembershipRefusal.GroupIsLateral,
        Timed => MembershipRefusal.GroupIsTimed,
        _ => MembershipRefusal.ModeMismatch,
    };
}
