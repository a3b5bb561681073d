namespace QuickSilver.Protocol.Membership;

/// <summary>Names among others in a text for people: in quotation marks, so that one name cannot be taken for two.</summary>
internal static class QuotedName
{
    /// <summary>A name in quotation marks; those that it has itself are doubled.</summary>
    public static string Of(string name) => $"'{name.Replace("'", "''", StringComparison.Ordinal)}'";
}
