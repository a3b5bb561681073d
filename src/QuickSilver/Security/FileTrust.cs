namespace QuickSilver.Security;

/// <summary>Who may have written a file, and who may read it.</summary>
internal enum FileTrust
{
    /// <summary>Anybody: it has no secret.</summary>
    Public,

    /// <summary>Its owner may have written it, and its group may read it.</summary>
    Shared,

    /// <summary>This user alone, in a folder that is this user's alone. No link.</summary>
    Own,
}
