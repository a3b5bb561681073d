namespace QuickSilver.Bench.Runs;

/// <summary>Variants in words.</summary>
internal static class VariantNames
{
    /// <summary>As reports call it.</summary>
    public static string Text(this Variant variant) => variant switch
    {
        Variant.QuickSilver => "quicksilver",
        Variant.QuickSilverUdp => "quicksilver-udp",
        Variant.RawSingle => "raw UDP, one datagram a call",
        _ => "raw UDP, trains",
    };
}
