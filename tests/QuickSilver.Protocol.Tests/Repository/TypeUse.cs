namespace QuickSilver.Protocol.Tests.Repository;

/// <summary>
/// One type uses another, or a member of it. Names are full names of outermost types; the member is empty where only
/// the type is named.
/// </summary>
internal readonly record struct TypeUse(string User, string Used, string Member)
{
    public override string ToString() => Member.Length == 0 ? $"{User} uses {Used}" : $"{User} uses {Used}.{Member}";
}
