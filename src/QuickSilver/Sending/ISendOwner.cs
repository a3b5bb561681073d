namespace QuickSilver.Sending;

/// <summary>The handle behind a waiting call at a <see cref="SendGate"/>; it may end during the wait. Any
/// thread.</summary>
internal interface ISendOwner
{
    /// <summary>True once the handle was disposed, left its group, or failed.</summary>
    bool HasEnded { get; }

    /// <summary>The group that the handle is on. Any thread, once it has begun to join.</summary>
    StagedGroup StagedGroup { get; }

    /// <summary>Creates the exception for calls on the ended handle.</summary>
    Exception EndException();
}
