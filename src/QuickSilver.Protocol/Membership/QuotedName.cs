namespace QuickSilver.Protocol.Membership;

/// <summary>Quotes names within readable text, so that one name cannot be taken for two.</summary>
internal static class QuotedName
{
    /// <summary>The name in quotation marks; those inside it are doubled.</summary>
    public static string Of(string name) => $"'{name.Replace("'", "''", StringComparison.Ordinal)}'";
}
