namespace QuickSilver;

/// <summary>One member of a view.</summary>
/// <param name="Id">Address and incarnation of the node.</param>
/// <param name="Name">Readable name of the node; not necessarily unique.</param>
public sealed record Member(MemberId Id, string Name);
