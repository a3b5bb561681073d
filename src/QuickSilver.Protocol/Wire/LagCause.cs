namespace QuickSilver.Protocol.Wire;

/// <summary>Why a member is behind; a higher value explains the lower ones and stands before them.</summary>
public enum LagCause : byte
{
    /// <summary>It has read its socket past packets that it does not hold: they were lost on the way, and are not repaired yet.</summary>
    Losing = 1,

    /// <summary>It has not read its socket as far as it should have, or its kernel dropped what it left there.</summary>
    ReadingSlowly = 2,

    /// <summary>It does not answer the token.</summary>
    Silent = 3,
}
