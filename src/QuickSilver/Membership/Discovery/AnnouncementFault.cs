namespace QuickSilver.Membership.Discovery;

/// <summary>What became of an announcement.</summary>
internal enum AnnouncementFault
{
    /// <summary>It counts.</summary>
    None,

    /// <summary>It is not an announcement.</summary>
    Malformed,

    /// <summary>It is of another cluster.</summary>
    OtherCluster,

    /// <summary>This process has sent it.</summary>
    Own,

    /// <summary>It has been received before, or a later one has.</summary>
    Old,

    /// <summary>Its key is none of this node's, or one of the two has none.</summary>
    OtherKey,

    /// <summary>Its proof is wrong.</summary>
    WrongProof,

    /// <summary>It has no proof, and did not come from the address that it offers.</summary>
    OtherAddress,

    /// <summary>Too many others are known.</summary>
    NoRoom,
}
