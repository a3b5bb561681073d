namespace QuickSilver.Scenarios.Wide;

/// <summary>What joins two gateways.</summary>
internal enum WideLinkKind
{
    /// <summary>Hop, over UDP.</summary>
    Hop,

    /// <summary>TCP, with TLS and the congestion control of most systems, CUBIC.</summary>
    Tcp,

    /// <summary>TCP, with TLS and BBR, which does not take each loss for congestion.</summary>
    TcpBbr,
}

/// <summary>What follows from a kind.</summary>
internal static class WideLinkKinds
{
    /// <summary>Its name in tables.</summary>
    public static string NameOf(this WideLinkKind kind) => kind switch
    {
        WideLinkKind.Hop => "Hop",
        WideLinkKind.Tcp => "TCP",
        _ => "TCP with BBR",
    };

    /// <summary>The congestion control of its connections, by its name in Linux.</summary>
    public static string CongestionControlOf(this WideLinkKind kind) => kind == WideLinkKind.TcpBbr ? "bbr" : "cubic";
}
