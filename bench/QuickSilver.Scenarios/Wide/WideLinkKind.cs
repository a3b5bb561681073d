namespace QuickSilver.Scenarios.Wide;

/// <summary>What joins two gateways.</summary>
internal enum WideLinkKind
{
    /// <summary>Hop, over UDP.</summary>
    Hop,

    /// <summary>TCP, with TLS.</summary>
    Tcp,
}
