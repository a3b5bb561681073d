namespace QuickSilver.Protocol.Membership;

/// <summary>The modes of groups (<see cref="GroupInfo.Mode"/>): what a group promises about its messages.</summary>
internal static class GroupModes
{
    /// <summary>Every member delivers every message once, in the order of its sender.</summary>
    public const byte Reliable = 0;

    /// <summary>On arrival, at most once; receivers repair each other with combinations of packets.</summary>
    public const byte Lateral = 1;

    /// <summary>Per sender in order with skips; what is older than its time is dropped.</summary>
    public const byte Timed = 2;

    /// <summary>
    /// As <see cref="Reliable"/>. The group has a multicast address of its own, to which one copy of each packet is
    /// sent for all its regions.
    /// </summary>
    public const byte Hybrid = 3;

    /// <summary>Every member delivers every message of all groups of the mode, in one order.</summary>
    public const byte Ordered = 4;

    /// <summary>Number of modes.</summary>
    public const int Count = 5;

    /// <summary>True for groups with an address of their own.</summary>
    public static bool IsHybrid(byte mode) => mode == Hybrid;

    /// <summary>True for groups whose messages have an engine of their own.</summary>
    public static bool HasEngine(byte mode) => mode is Lateral or Timed or Ordered;

    /// <summary>True for groups whose views have a place among the messages. Their engine begins each.</summary>
    public static bool HasViewsInOrder(byte mode) => mode == Ordered;

    /// <summary>The refusal of a request whose mode is not that of the group.</summary>
    public static MembershipRefusal RefusalOf(byte modeOfGroup) => modeOfGroup switch
    {
        Reliable => MembershipRefusal.GroupIsReliable,
        Lateral => MembershipRefusal.GroupIsLateral,
        Timed => MembershipRefusal.GroupIsTimed,
        Hybrid => MembershipRefusal.GroupIsHybrid,
        Ordered => MembershipRefusal.GroupIsOrdered,
        _ => MembershipRefusal.ModeMismatch,
    };
}
